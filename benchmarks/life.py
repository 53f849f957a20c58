"""Entries of a working life in two languages, made from a seed: always the same, never repeating.

Two people, projects that come and go, facts that change, standing rules, wishes said again and
again, tasks, failures and their cures, much noise. What may be asked is known: `rules`, `facts`,
`told`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

START = datetime(2026, 1, 5, 9, 0)
WORTH = 0.2
"""Share of the entries that say something; the rest is talk around them."""
RESTS_ON = 6
"""The day of the week, Monday is 0, on which nothing is said."""
_PER_SESSION = 40
_FIRST_RULES = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """A question whose answer is known.

    Attributes:
        day: When it was said.
        answer: A word that stands in nothing else that is true today.
        older: What was true before.
    """

    question: str
    answer: str
    day: int
    older: tuple[str, ...] = ()


def day(day_: int, count: int, seed: int = 7) -> list[dict[str, str]]:
    """The entries of one day in order of time, in sessions of forty; none on a day of rest.

    What must be known later is said first, in sessions of its own.
    """
    begin = START + timedelta(days=day_)
    if begin.weekday() == RESTS_ON:
        return []
    rows = []
    for place, text in enumerate(_special(day_)):
        at = begin - timedelta(hours=1, minutes=-place)
        speaker = "ana" if text.isascii() else "文博"
        rows.append(_row(at, "user", text, session=f"d{day_:04d}-{speaker}", user=speaker))
    return rows + _Talk(day_, count, seed).rows


def rules(day_: int) -> list[Asked]:
    """Standing rules told by the end of this day: five on the first, one every thirteen weeks."""
    days = [_day_of_rule(number) for number in range(len(_RULES))]
    told = zip(_RULES, days, strict=True)
    return [Asked(question, answer, on) for (_, question, answer), on in told if on <= day_]


def facts(day_: int) -> list[Asked]:
    """Facts as they are by the end of this day; each changes about every 400 days."""
    found = []
    for number, (_, question) in enumerate(_FACTS):
        days = [on for on in _days_of_fact(number) if on <= day_]
        values = [_value(number, on) for on in days]
        if values:
            found.append(Asked(question, values[-1], days[-1], tuple(values[:-1])))
    return found


def told(day_: int, count: int, seed: int = 7, days: int = 7) -> list[Asked]:
    """What was told in passing within the days before this one; the latest, where twice."""
    found: dict[str, Asked] = {}
    for on in range(max(0, day_ - days), day_):
        if (START + timedelta(days=on)).weekday() != RESTS_ON:
            found |= _Talk(on, count, seed).told
    return list(found.values())


def few_days(count: int, per_day: int = 100) -> Iterator[dict[str, str]]:
    """So many entries of a life, about so many on each day."""
    on = 0
    while count > 0:
        rows = day(on, per_day)[:count]
        yield from rows
        on, count = on + 1, count - len(rows)


def _row(at: datetime, role: str, text: str, **more: str) -> dict[str, str]:
    return {"ts": at.isoformat(), "role": role, "text": text, "agent": "life"} | more


# -- what will be asked ---------------------------------------------------------------------------


def _special(day_: int) -> Iterator[str]:
    for number, (text, *_) in enumerate(_RULES):
        if day_ == _day_of_rule(number):
            yield text
    for number, (text, _) in enumerate(_FACTS):
        if day_ in _days_of_fact(number):
            yield text.format(value=_value(number, day_))


def _day_of_rule(number: int) -> int:
    return 0 if number < _FIRST_RULES else 91 * (number - _FIRST_RULES + 1)


def _days_of_fact(number: int) -> list[int]:
    """A day of the first week, then every 399 days: never a day of rest."""
    return [number % 5, *range(35 * number + 35 + number % 5, 10_000, 399)]


def _value(number: int, day_: int) -> str:
    return f"{_MARKS[(number + day_) % len(_MARKS)]}-{100 + 20 * day_ + number}"


# -- what is said ---------------------------------------------------------------------------------


class _Talk:
    """The talk of one day: its rows, and what was told in it in passing."""

    def __init__(self, day_: int, count: int, seed: int) -> None:
        self.told: dict[str, Asked] = {}
        self._chance = random.Random(f"{seed}-{day_}")
        self._number = self._day = day_
        gap = timedelta(hours=12) / max(1, count)
        self.rows = []
        for place in range(count):
            session = place // _PER_SESSION
            if place % _PER_SESSION == 0:
                speaker, project, tongue = self._scene()
            self._number = 10_000 * day_ + place
            at = (START + timedelta(days=day_) + place * gap).replace(microsecond=0)
            role, text = self._say(project, tongue)
            name = f"d{day_:04d}-{session:02d}"
            row = _row(at, role, text, session=name, user=speaker, project=project)
            self.rows.append(row)

    def _scene(self) -> tuple[str, str, str]:
        """Who speaks, on what, in which language; a project lasts about four months."""
        tongue = self._chance.choice(("en", "zh"))
        names = _PROJECTS[tongue]
        project = names[(self._day // 40 + self._chance.randrange(3)) % len(names)]
        return ("ana" if tongue == "en" else "文博"), project, tongue

    def _say(self, project: str, tongue: str) -> tuple[str, str]:
        chance = self._chance
        if chance.random() < WORTH:
            return "user", self._worth(project, tongue)
        role = chance.choice(("user", "user", "assistant", "assistant", "tool"))
        lines = {"user": 1, "assistant": chance.randint(1, 5), "tool": chance.randint(2, 12)}[role]
        said = [
            self._filled(chance.choice(_TALK[tongue][role]), project, tongue) for _ in range(lines)
        ]
        return role, ("\n" if role == "tool" else " ").join(said)

    def _worth(self, project: str, tongue: str) -> str:
        chance = self._chance.random()
        if chance < 0.1:
            return self._chance.choice(_WISHES[tongue])
        if chance < 0.2:
            return self._in_passing(project, tongue)
        return self._filled(self._chance.choice(_SAID[tongue]), project, tongue)

    def _in_passing(self, project: str, tongue: str) -> str:
        number = f"{_MARKS[self._number % len(_MARKS)]}-{self._number}"
        text, question = _TOLD[tongue]
        found = {kind: self._chance.choice(_WORDS[tongue][kind]) for kind in ("item", "person")}
        found |= {"project": project, "number": number}
        asked = question.format(**found)
        self.told[asked] = Asked(asked, number, self._day)
        return text.format(**found)

    def _filled(self, pattern: str, project: str, tongue: str) -> str:
        chance, words = self._chance, _WORDS[tongue]
        chosen = {kind: chance.choice(options) for kind, options in words.items()}
        amount, small = chance.randint(10, 99_999), chance.randint(2, 60)
        version = f"{chance.randint(1, 9)}.{chance.randint(0, 30)}.{chance.randint(0, 9)}"
        return pattern.format(
            project=project, n=amount, m=small, v=version, number=self._number, **chosen
        )


_MARKS = ("Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Iris", "Juniper")
_PROJECTS = {
    "en": (
        "harbour", "lantern", "quarry", "orchard", "meadow", "granite", "beacon", "thicket",
        "estuary", "foundry", "compass", "terrace", "glacier", "pavilion", "almanac", "causeway",
    ),
    "zh": (
        "海棠", "灯塔", "竹林", "青石", "云帆", "麦田", "渡口", "雪松",
        "星图", "画廊", "长堤", "茶园", "山泉", "驿站", "织机", "古塔",
    ),
}  # fmt: skip
_WORDS = {
    "en": {
        "part": (
            "invoice service", "search page", "backup job", "mobile client", "login form",
            "report builder", "message queue", "image cache", "price list", "booking calendar",
            "export script", "mail gateway", "audit trail", "map view", "payment hook",
            "user directory", "test cluster", "staging server", "build machine", "help pages",
        ),
        "person": (
            "Priya", "Tomas", "Ingrid", "Kwame", "Leila", "Marek", "Yusuf", "Hanna", "Diego",
            "Aoife", "Bram", "Chiara", "Dmitri", "Esther", "Farid", "Greta", "Hugo", "Ivana",
            "Joao", "Katya", "Lars", "Mina", "Noor", "Oskar", "Petra", "Quentin", "Rosa", "Sanjay",
        ),
        "tool": (
            "Postgres", "Redis", "Kafka", "Terraform", "Ansible", "Playwright", "Grafana", "Nginx",
            "SQLite", "RabbitMQ", "Vite", "Poetry", "Bazel", "Caddy", "MinIO", "Prometheus",
        ),
        "city": (
            "Lisbon", "Gdansk", "Turin", "Bergen", "Porto", "Leipzig", "Ghent", "Malmo", "Split",
            "Tartu", "Nantes", "Graz", "Bilbao", "Utrecht", "Cork", "Brno",
        ),
        "reason": (
            "it is easier to test", "the licence is free", "the old one kept failing at night",
            "the team knows it", "it halves the cost", "the auditors asked for it",
            "it needs no second server", "the vendor stopped its support", "it starts faster",
        ),
        "cause": (
            "an expired certificate", "a full disk", "a missing index", "a wrong time zone",
            "two writers at once", "a stale cache", "a renamed column", "a broken symlink",
        ),
        "cure": (
            "renewing it by hand", "moving the logs", "adding the index", "pinning the version",
            "a lock around the write", "clearing the cache", "a second attempt after a pause",
        ),
        "task": (
            "renew the contract", "write the release notes", "order new badges", "call the bank",
            "update the price list", "book the hall", "review the draft", "send the offer",
        ),
        "month": (
            "January", "February", "March", "April", "May", "June", "July", "August",
            "September", "October", "November", "December",
        ),
        "item": ("ticket", "parcel", "contract", "order", "invoice", "permit", "locker", "badge"),
    },
    "zh": {
        "part": (
            "报表系统", "登录页面", "支付接口", "搜索服务", "消息队列", "图片缓存", "价格表",
            "预约日历", "导出脚本", "邮件网关", "审计日志", "地图页面", "用户目录", "测试集群",
            "预发布服务器", "构建机器", "帮助文档", "库存模块", "客服后台", "数据看板",
        ),
        "person": (
            "小林", "老周", "陈静", "王磊", "赵敏", "孙浩", "李娜", "吴刚", "郑洁", "冯涛",
            "蒋欣", "韩雪", "杨帆", "朱琳", "秦川", "许晴", "何勇", "吕萍", "张伟", "施丽",
        ),
        "tool": (
            "Postgres", "Redis", "Kafka", "Nginx", "Grafana", "SQLite", "Vite", "MinIO",
            "飞书", "钉钉", "企业微信", "石墨文档", "禅道", "语雀",
        ),
        "city": (
            "杭州", "成都", "苏州", "厦门", "青岛", "昆明", "西安", "武汉", "长沙", "大连",
        ),
        "reason": (
            "更容易测试", "旧的晚上经常出错", "团队比较熟悉", "成本能降一半", "审计有要求",
            "不需要第二台服务器", "供应商停止支持了", "启动更快", "客户等得太久", "数据必须留在国内",
        ),
        "cause": (
            "证书过期", "磁盘写满", "缺少索引", "时区写错", "两个进程同时写", "缓存没有更新",
        ),
        "cure": (
            "手动续期", "把日志移走", "补上索引", "固定版本", "写入时加锁", "清空缓存",
            "停一会儿再试", "分段读取文件", "启动时先检查", "恢复备份",
        ),
        "task": (
            "续签合同", "写发布说明", "订购工牌", "联系银行", "更新价格表", "预订会议室",
        ),
        "month": tuple(f"{number}月" for number in range(1, 13)),
        "item": ("车票", "包裹", "合同", "订单", "发票", "许可证", "储物柜", "门禁卡"),
    },
}  # fmt: skip
_SAID = {
    "en": (
        "We decided to move the {part} of {project} to {tool} because {reason}.",
        "We decided against {tool} for the {part}: {reason}, and {person} would have to learn it.",
        "The {part} of {project} listens on port {n} now.",
        "{person} is in charge of the {part} of {project}.",
        "The budget for the {part} is {n} euros, says {person}.",
        "{person} moved to {city} in {month} and works from there.",
        "Release {v} of {project} is planned for 12 {month}.",
        "The build of {project} failed because of {cause}; {cure} solved it.",
        "The {part} takes {n} ms since we switched to {tool} {v}.",
        "Remind me to {task} before the end of {month}.",
        "The customer from {city} wants {m} licences of {project}, order {number}.",
        "I met {person} in {city}; they use {tool} {v} for their {part}.",
        "The meeting on {project} with {person} is on 14 {month} at 10:30.",
        "Lesson learnt: {cause} in the {part} costs a day, so look there first.",
        "The password policy of the {part} asks for {m} characters.",
        "Our contract with the host in {city} runs until {month} 2029 and costs {n} euros a year.",
        "The file /srv/{project}/{number}.csv holds the numbers of {month}.",
    ),
    "zh": (
        "我们决定把{project}的{part}迁到{tool}，因为{reason}。",
        "{part}不用{tool}了：{reason}，{person}也同意。",
        "{project}的{part}现在监听{n}端口。",
        "{project}的{part}由{person}负责。",
        "{part}的预算是{n}元，{person}说的。",
        "{person}{month}搬到{city}，以后在那边办公。",
        "{project}的{v}版本计划在{month}12日发布。",
        "{project}构建失败是因为{cause}，{cure}就好了。",
        "换成{tool} {v}以后，{part}只要{n}毫秒。",
        "提醒我{month}底之前{task}。",
        "{city}的客户要{m}个{project}授权，订单号{number}。",
        "我在{city}见了{person}，他们的{part}用{tool} {v}。",
        "{project}的会议定在{month}14日上午10点半，{person}参加。",
        "和{city}机房的合同到2029年{month}，每年{n}元。",
        "文件 /srv/data/{number}.csv 是{month}的数据。",
    ),
}
_WISHES = {
    "en": (
        "Please keep your answers short.",
        "I'd like short answers, please.",
        "Just start directly, no need to ask first.",
        "Please start right away without asking.",
        "I prefer tables over long paragraphs.",
        "Show me the diff before you commit.",
    ),
    "zh": (
        "回答简短一点。",
        "请直接开始，不用先问我。",
        "直接做就行，不要先问。",
        "我喜欢用表格，不要大段文字。",
        "提交之前先给我看改动。",
    ),
}
_TALK = {
    "en": {
        "user": ("ok", "thanks!", "go on please", "hello again", "yes, do that", "hm, let me see"),
        "assistant": (
            "I looked at the {part} of {project}; run {number} took {n} ms. Shall I go on?",
            "Done. The {part} passes its checks now, {m} of {m}.",
            "I would first read the {part} and then change {m} lines. Is that fine?",
            "Here is the draft for {project}, part {number}.",
        ),
        "tool": (
            "check-{number}-{n} passed in {n} ms",
            "commit {number}{n} {project}: {part}",
            "  /srv/{project}/{number}/{n}.log: {m} lines",
        ),
    },
    "zh": {
        "user": ("好的", "谢谢", "继续吧", "嗯", "可以", "早上好"),
        "assistant": (
            "我看了{project}的{part}，第{number}次运行用了{n}毫秒，要继续吗？",
            "完成了，{part}的{m}项检查都通过。",
            "我先读一下{part}，再改{m}行，可以吗？",
        ),
        "tool": ("check-{number}-{n} passed in {n} ms", "  /srv/{number}/{n}.log: {m} lines"),
    },
}
_TOLD = {
    "en": (
        "The {item} of {person} for {project} has the number {number}.",
        "Which number does the {item} of {person} for {project} have?",
    ),
    "zh": (
        "{person}在{project}的{item}编号是{number}。",
        "{person}在{project}的{item}编号是多少？",
    ),
}
_FACTS = (
    ("The archive of our company is on the server {value} now.", "On which server is the archive of our company?"),
    ("My assistant's desk is in room {value} now.", "In which room is my assistant's desk?"),
    ("Our wifi network at the office is called {value} now.", "What is our wifi network at the office called?"),
    ("The company car has the licence plate {value} now.", "What licence plate does the company car have?"),
    ("Our tax adviser is the firm {value} now.", "Which firm is our tax adviser?"),
    ("The main database runs on the host {value} now.", "On which host does the main database run?"),
    ("公司的档案现在放在{value}机房。", "公司的档案放在哪个机房？"),
    ("我们的法律顾问现在是{value}事务所。", "我们的法律顾问是哪个事务所？"),
    ("办公室的无线网络现在叫{value}。", "办公室的无线网络叫什么？"),
    ("公司的车牌现在是{value}。", "公司的车牌是多少？"),
    ("我的工位现在在{value}区。", "我的工位在哪个区？"),
    ("主数据库现在在{value}主机上。", "主数据库在哪台主机上？"),
)  # fmt: skip
_RULES = (
    ("Always write dates as day, month, year, the Kestrel way.", "How do I want dates written?", "Kestrel"),
    ("Never deploy on a Friday, that is our Heron rule.", "May we deploy on a Friday?", "Heron"),
    ("From now on use British spelling, as in the Osprey guide.", "Which spelling do I want?", "Osprey"),
    ("以后都用简体中文写周报，按白鹭模板。", "周报用什么模板写？", "白鹭"),
    ("不要再把客户数据发到公网，这是苍鹰规定。", "客户数据可以发到公网吗？", "苍鹰"),
    ("Always ask Merlin before anything is bought.", "Whom must you ask before buying?", "Merlin"),
    ("Never delete a branch without a Plover tag.", "What must a branch have before it is deleted?", "Plover"),
    ("以后所有报价都要加上翠鸟编号。", "报价要加上什么编号？", "翠鸟"),
    ("From now on put the Wren summary at the top of each report.", "What comes at the top of each report?", "Wren"),
    ("不要再用红色标题，只用画眉蓝。", "标题用什么颜色？", "画眉"),
    ("Always run the Lapwing checks before a merge.", "Which checks run before a merge?", "Lapwing"),
    ("以后会议记录一律存到喜鹊文件夹。", "会议记录存到哪个文件夹？", "喜鹊"),
    ("Never quote prices without the Curlew margin.", "Which margin belongs to every price?", "Curlew"),
)  # fmt: skip
