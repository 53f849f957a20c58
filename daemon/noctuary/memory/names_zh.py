"""Chinese names: by what calls them so, by title, and by surname beside a cue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noctuary.memory.lazy import lazily
from noctuary.memory.words import words

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘"
    "杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
_HAN = r"\u4e00-\u9fff"
_BARE = rf"[{_SURNAMES}][{_HAN}]{{1,2}}?"
_TITLES = "先生|女士|小姐|老师|经理|主任|医生|教授|博士|总监|师傅|阿姨|叔叔|工程师|律师|同学"
_RELATIONS = (
    "同事|朋友|好友|老师|医生|同学|邻居|经理|老板|室友|领导|上司|上级|下属|客户|搭档|教练|导师|师傅|助理|秘书"
    "|妻子|丈夫|老婆|老公|女友|男友|妈妈|爸爸|母亲|父亲|哥哥|弟弟|姐姐|妹妹|表哥|表弟|表姐|表妹|堂哥|堂弟|堂姐|堂妹"
    "|叔叔|阿姨|舅舅|姑姑|儿子|女儿|侄子|侄女|外甥|律师|司机|房东|中介|负责人|联系人"
)
_PLACE = rf"在[{_HAN}A-Za-z0-9]{{1,12}}?(?:上班|工作|上学|读书|任职|实习|当[{_HAN}])"
_DETAILS = (
    "电话|手机|号码|生日|邮箱|地址|联系|职业|工作|爱好|公司|单位|年龄|身高|学历|老家|名字|职位"
)
_CUES = (
    rf"{_PLACE}|是(?:我|你|您|他|她|咱)(?:们)?的?[{_HAN}]|说|告诉|问我|推荐|负责|住在|来自|毕业于"
    rf"|今年[\d一二三四五六七八九十]|的(?:联系)?(?:{_DETAILS})"
)
_FREE = rf"(?:^|(?<![{_HAN}])|(?<=[和跟给找问让约]))"
_AFTER = r"(?=[^\u4e00-\u9fff]|$|在|是|说|和|跟|与|也|的|来|去|会|要|有|都|今天|昨天|明天|今年|负责|推荐|告诉|住|喜欢)"
_CALLED = lazily(
    r"(?:名字|姓名|全名|真名|昵称|品牌|牌子|公司名)(?:就?是|叫做?|为|：|:)[ ]?"
    rf"(?P<called>[{_HAN}A-Za-z0-9·]{{2,24}})"
    r"|(?:名叫|取名|命名为|改名为|叫做|叫作|(?<![喊呼吼惊尖])叫)[“「『\"]?"
    rf"(?P<cue>[{_HAN}A-Za-z0-9·]{{2,24}})"
    rf"|(?<![{_HAN}](?=[于方万常文易]))(?P<title>[{_SURNAMES}](?:{_TITLES}))"
)
_BESIDE = lazily(
    rf"{_FREE}(?P<before>{_BARE})(?={_CUES})|(?:{_RELATIONS})(?P<after>{_BARE}){_AFTER}"
)
_NOT_CALLED = lazily(r"[我你他她它们什啥谁做人停醒起出来车外这那一不]")
_NAME_END = lazily(r"(?:的|了|吧|呢|吗|啊|和|与|在|是|，)")
_NO_GIVEN_NAME = lazily(r"[的了是在有和就不也都说我你他她们吗呢吧这那个给把被让到去来还很太]")
_ORDINARY = words(
    "周末 周一 周二 周三 周四 周五 周六 周日 周天 周围 周年 周边 周期 周到 高中 高一 高二 高三 高考 高铁 高度 高级 "
    "高兴 高手 高峰 高层 高端 高速 方案 方法 方面 方式 方便 方向 方言 马上 马路 马桶 马拉 马虎 白天 白色 白板 白酒 "
    "白领 黄色 黄金 黄昏 黄瓜 黄山 黄河 金额 金融 金属 金色 金华 文件 文章 文化 文字 文档 文学 文科 文具 程序 程度 "
    "任务 任何 任职 任意 常常 常规 常用 常见 常州 易于 易错 于是 万一 万事 万能 何时 何况 何必 何处 何人 钱包 钱财 "
    "石头 石油 江苏 江西 江南 江边 江湖 陈述 陈列 林业 林子 罗列 宋代 宋朝 唐代 唐朝 唐诗 许多 许可 许久 曾经 余额 "
    "余下 余生 余地 雷达 雷电 雷雨 龙虾 龙头 毛病 毛衣 毛巾 夏天 夏季 夏令 顾客 顾问 顾虑 乔迁 武汉 武术 武器 贺卡 "
    "谢谢 田野 田径 叶子 段落 段时 史诗 苏州 苏打 沈阳 胡同 胡子 胡说 康复 杜绝 熊猫 陆地 陆续 董事 钟头 钟表 范围 "
    "范例 黎明 徐州 孙子 孙女 郑州 郑重 韩国 韩语 韩剧 李子 王国 王子 王者 张开 张贴 刘海 汤圆 孔子 孟子 丁香 秦朝 "
    "潘家 汪洋 戴上 戴着 邓小 马达 马克 程式 罗马 石家 江河 金牌 金钱 白菜 白糖 易碎 文员 文案 方块 高温 高价 高校"
)


def names(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each Chinese name; in no order, and one may be found twice."""
    for hit in _CALLED.finditer(text):
        yield from _called(hit)
    for hit in _BESIDE.finditer(text):
        start, end = hit.span("before" if hit["before"] else "after")
        said = text[start:end]
        if said[:2] not in _ORDINARY and not _NO_GIVEN_NAME.search(said):
            yield start, end


def _called(hit: re.Match[str]) -> Iterator[tuple[int, int]]:
    group = next(name for name in ("called", "cue", "title") if hit[name])
    start, end = hit.span(group)
    if group == "cue" and _NOT_CALLED.match(hit[group]):
        return
    if group != "title":
        stop = _NAME_END.search(hit[group], 2)
        end = start + stop.start() if stop else end
    if end - start <= 16:
        yield start, end
