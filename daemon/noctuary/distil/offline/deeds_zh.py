"""Chinese deeds: `给小满订生日蛋糕` and `蛋糕订好了`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noctuary.distil.offline.deeds import CUT, Deed, agree, bare, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_GROUPS = grouped(
    """
    买 采购 购买 购 入手 下单 选购
    订 预订 预定 预约 约 订购 挂
    交 缴 付 支付 缴纳 补交 提交 递交 上交
    续 续费 续期 续约 续签 续订
    写 撰写
    发 寄 发送 寄出 发出 发给 寄给
    修 修理 维修 修复
    取 拿 领 领取
    装 安装
    换 更换
    签 签署
    填 填写
    打印 复印
    打扫 收拾 整理
    检查 核对
    改 修改
    还 归还
    退 退掉
    报 报名
    申请 注册
    联系 通知 告诉
    备份
    部署 上线 发布
    更新 升级
    测试
    翻译
    打 接种
    洗
    送
    接
    搬
    看
    准备
    做 制作
    """
)
_VERB = "|".join(sorted(_GROUPS, key=len, reverse=True))
_MAKING = frozenset({"写", "做", "装", "部署", "准备"})
_DONE = r"(?:搞定|完成|办好|办完|办妥|弄好|弄完|做好|做完|处理好|处理完|解决|结束)"
_ENDED = r"(?:好|完|到|掉|妥|成|齐|上|过|下来|出去)"
_NOW = r"(?:已经|已|都|也|终于|刚刚|刚才|刚|全部|全|现在|总算)"
_LIGHT = re.compile(
    rf"我们|咱们|[我咱]|{_NOW}|那个|这个|那支|这支|那件事|的事情?|[上下中]午|早[上晨]|晚上|今早|一早|凌晨|[的啦呀啊哦呢吧\s{CUT}]"
)
_MEASURE = re.compile(
    r"[一二两三四五六七八九十几\d]+[个支把本张份件条盒瓶台套双只封次箱袋块斤辆部]"
)
_BREAK = re.compile(r"[，。；！、,;!]+|\s+[-–—]+\s*")
_NOT = re.compile(
    r"[没未别不吗呢]|差点|差不多|快要|一半|部分|如果|要是|等|之?[后前]$|以后|再说|的话|打算|准备(?!好)|想|要|会|应该|"
    r"可能|希望|大概|也许|忘|以前|曾经|去年|上次|原来|本来|说|听|问|好像|以为|记得|帮我|请"
)
_FAILS = re.compile(r"(?:但是?|可是?|不过|结果)[^。]*(?:[没未不退坏错]|取消|失败|只|还差)")
_TASK_LEAD = re.compile(
    r".*?(?:待办|提醒我|记得要?|别忘了|不要忘了|不要忘记|还没做?|还需要|还得|还要|还有|下一步|未完成|待完成|记一下|要做的)"
    r"(?:是|要|去|的)?[:：，,\s]*"
)
_AGAIN = re.compile(r"每[天周月年日次]|定期|经常|总是|一直")
_SEVERAL = re.compile(r"(?:然后|再|并且?|顺便)")
_TASK_VERB = re.compile(_VERB)
_ACTION = re.compile(rf"^(?:{_VERB})|(?:{_VERB})$")
_BEHIND = re.compile(rf"^(?P<before>.*?)(?P<verb>{_VERB}){_ENDED}?了?(?P<thing>[^了]{{1,14}}?)了?$")
_AHEAD = re.compile(
    rf"^(?P<before>.*?把)?(?P<thing>[^把]{{1,14}}?){_NOW}*(?:(?P<verb>{_VERB}){_ENDED}?|{_DONE})了{CUT}?$"
)
_FINISHED = re.compile(rf"^(?P<before>.*?){_DONE}了?(?P<thing>[^了]{{1,14}})$")
_BESIDE = re.compile(
    r"(?P<aim>[给帮替为跟和带陪让])?(?(aim)|[去到在从用])(?P<who>[^给帮替为跟和带陪让去到在从用把]{1,6})$"
)


def tasks(text: str, at: datetime) -> list[Deed]:
    """What a task asks for, by each of its verbs; nothing where it comes back."""
    lead = _TASK_LEAD.match(text)
    said = bare(_BREAK.split(text[lead.end() :] if lead else text)[0], at)
    if _AGAIN.search(text) or _SEVERAL.search(said):
        return []
    found = [
        deed
        for hit in _TASK_VERB.finditer(said)
        if (deed := _deed(hit[0], said[hit.end() :], said[: hit.start()])) is not None
    ]
    if found:
        return found
    thing = _deed("", said, "")
    return [thing] if thing else []


def deeds(text: str, at: datetime) -> Iterator[tuple[str, Deed]]:
    """What the speaker says is done, each with its clause."""
    for sentence in re.split(r"(?<=[。！？!?])", text):
        if sentence.rstrip().endswith(("?", "？")) or _FAILS.search(sentence):
            continue
        for clause in _BREAK.split(sentence):
            plain = re.sub(r"\s+", "", bare(clause, at)) if clause else ""
            if plain and not _NOT.search(plain):
                for deed in _told(plain):
                    yield clause, deed


def likeness(task: Deed, deed: Deed) -> int:
    """2 when this is what the task asks for, 1 when one of the two names less than the other."""
    if not agree(task, deed) or (task.aim and deed.aim and task.aim != deed.aim):
        return 0
    done = deed.thing
    if task.verb and not deed.verb:
        done = _ACTION.sub(lambda hit: "" if _GROUPS[hit[0]] == task.verb else hit[0], done)
    if done == task.thing:
        return 2 if task.aim == deed.aim else 1
    return int(not done or (len(done) > 1 and _ends_with(task.thing, done)))


def _ends_with(thing: str, end: str) -> bool:
    """Whether a shorter name is meant: it takes no number apart."""
    before = thing.removesuffix(end)[-1:]
    return thing.endswith(end) and not (before + end[:1]).isdigit()


def _told(clause: str) -> Iterator[Deed]:
    if "已" in clause and "了" not in clause:
        clause += "了"
    if "了" not in clause:
        return
    for pattern in (_AHEAD, _BEHIND, _FINISHED):
        if hit := pattern.match(clause):
            told = hit.groupdict()
            before = told["before"] or ""
            deed = _deed(told.get("verb") or "", told["thing"], before)
            if deed is not None and _is_own(before):
                yield deed


def _is_own(before: str) -> bool:
    """Whether nobody else is named as the one who did it."""
    left = before.removesuffix("把")
    while hit := _BESIDE.search(left):
        left = left[: hit.start()]
    return not _LIGHT.sub("", left)


def _deed(verb: str, thing: str, before: str) -> Deed | None:
    plain = _MEASURE.sub("", _LIGHT.sub("", thing))
    if not plain:
        return None
    one = _GROUPS.get(verb, verb)
    return Deed(one, plain, aim=_aims(before), makes=one in _MAKING)


def _aims(before: str) -> frozenset[str]:
    found, left = set(), before.removesuffix("把")
    while hit := _BESIDE.search(left):
        left = left[: hit.start()]
        if hit["aim"]:
            found.add(_LIGHT.sub("", hit["who"]))
    return frozenset(found)
