"""Weeks of two people each, dreamt day by day: what an agent wakes with.

In English and Chinese, of hasty writers and of one who writes in a language that is not hers.

The transcripts in `tests/weeks` are invented. Of each it is told what must stand in the wake context
in the end, what must not, and which tasks are open.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from nights import Clock, cards, new_vault, take_in
from noctuary.memory.card import CardType, Status

WEEKS = Path(__file__).parents[1] / "weeks"

STANDS = {
    "greenhouse_and_picture_book": [
        "feel free to change them",
        "你可以改",
        "commit messages should follow Conventional Commits",
        "豆豆对芒果过敏",
        "延到10月28日[2026年]",
        "TimescaleDB",
        "on Friday [Friday 11 September 2026] at 9",
        "device reports readiness to read but returned no data. That exception usually means",
        "Stop the getty service on ttyS0",
        "草图软件打开老是闪退。先把画布分辨率降到300dpi",
    ],
    "telemetry_and_thesis": [
        "we can go to 1.80 now",
        "run clippy with -D warnings before you tell me",
        "stop adding emojis to commit messages",
        "branch main is protected so always open a PR",
        "参考文献统一用 GB/T 7714 格式",
        "图表的字号不要小于9号，颜色要色盲友好的",
        "我对青霉素过敏",
        "改到11月19号[2026年11月19日]",
        "never benchmark on the laptop",
        "MemoryError: Unable to allocate 31.2 GiB for an array with shape (4120000, 1016).",
    ],
    "bakery_and_clinic": [
        "Mrs. De Smet, can't have nuts",
        "we close at 14:00 on Wednesdays",
        "Please write lists as short bullets",
        "Elke wants the logo in dark green. I'd rather have it in brown",
        "短信额度提到500条了",
        "老板要求年底[2026年底]前必须上线",
        "我不吃辣",
        "Lesson: bring twice as many small coins",
    ],
    "churn_model_and_fishing_game": [
        "Requirements from Olga: No gender or age as features (legal).",
        "代码规范：注释写中文。",
        "Use uv for everything, not pip",
        "you can use it again",
        "we settled on 0.4",
        "I fill it with the join date and add a flag `never_came`.",
        "以后每次改完都跑一遍存档测试",
        "鱼减到24种",
    ],
    "android_app_and_customs_office": [
        "I'd go with Room",
        "mornings on the 17th [17 September 2026]",
        "if a gradle task takes longer than 5 min just kill it",
        "next week [week of 21 September 2026]: migrate detekt",
        "The push is refused because the commits aren't signed.",
        "with `coerceInputValues = true` and a default value it parses",
        "Wrona is now ok with 10 sentences",
        "Contact is Signor Bassi, he understands only italian",
        "is the audit, on Tuesday 22. Then no mails before 12.",
        "For Balticwood only GLS",
        "print list of declarations from August",
    ],
    "ledger_and_genetics": [
        "in future check the main branch for the next free number",
        "Hard delete plus an audit table",
        "she'd rather we rebase than merge",
        "fly.toml is ours now",
        "For the alignment I use always bwa-mem2",
        "When I write English text you correct it",
        'with `sep = "\\t"` and `fill = TRUE` it is read',
    ],
    "estate_renovation": [
        "监控录像谁都不能调",
        "不用打电话了",
        "群公告一天最多发两条",
        "摆数字",
        "以后停水停电提前三天贴",
    ],
}
GONE = {
    "greenhouse_and_picture_book": [
        "Leave the irrigation scripts alone",
        "封面的颜色不要动",
        "截稿日是10月20日",
        "InfluxDB for the time series",
    ],
    "telemetry_and_thesis": [
        "don't bump it",
        "build farm is stuck",
        "答辩定在11月12号",
        "你又用了APA格式",
        "PRs only",
        "[2026年10月9日]，颜色",
        "- remote: error: GH006",
    ],
    "bakery_and_clinic": [
        "MegaFlour",
        "最多发200条",
        "超了会被运营商封",
        "上线时间暂定12月1号",
        "And please",
    ],
    "churn_model_and_fishing_game": [
        "Rotterdam branch is broken",
        "- That did it",
        "鱼的种类先做40种",
        "[Monday 21 September 2026] export",
    ],
    "android_app_and_customs_office": [
        "only the changed hunks",
        "without asking, Yusuf owns it",
        "max 8 sentences",
        "Please always fill the time sheet",
        "Greta fixed",
    ],
    "ledger_and_genetics": ["leave the fly.toml", "Do always use our barcode labels"],
    "estate_renovation": ["敲门前先打电话", "公示要贴满7天", "门禁卡一户发3张", "财务表每周五发我"],
}
OPEN = {
    "greenhouse_and_picture_book": ["order two spare humidity probes"],
    "telemetry_and_thesis": ["write the migration guide", "要交查重报告"],
    "bakery_and_clinic": ["call the electrician"],
    "churn_model_and_fishing_game": [],
    "android_app_and_customs_office": ["migrate detekt"],
    "ledger_and_genetics": ["need to write the runbook"],
    "estate_renovation": [],
}
DONE = {
    "greenhouse_and_picture_book": ["给印厂寄色卡"],
    "telemetry_and_thesis": ["send Priya the flamegraph", "把中期报告发给梁老师"],
    "bakery_and_clinic": ["to pay the stall", "给外包签合同"],
    "churn_model_and_fishing_game": ["ask legal if postcode"],
    "android_app_and_customs_office": [
        "bump versionCode",
        "write the Play Store changelog",
        "send the INTRASTAT report",
        "Ask for A.TR",
    ],
    "ledger_and_genetics": ["rotate the bank cert", "reserve the microscope"],
    "estate_renovation": ["记得找园林公司报价"],
}


@pytest.mark.parametrize("week", sorted(STANDS))
def test_what_an_agent_wakes_with_after_a_week(
    week: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOCTUARY_CACHE", str(tmp_path / "cache"))
    clock = Clock()
    vault = new_vault(tmp_path / "vault", clock)
    rows = [json.loads(line) for line in (WEEKS / f"{week}.jsonl").read_text("utf-8").splitlines()]
    for day in sorted({row["ts"][:10] for row in rows}):
        take_in(vault, [row for row in rows if row["ts"].startswith(day)])
        clock.now = datetime.fromisoformat(day) + timedelta(hours=23)
        assert vault.dream().result == "done"
    told = vault.context(budget=3000).text
    assert [text for text in STANDS[week] if text not in told] == []
    assert [text for text in GONE[week] if text in told] == []
    tasks = [card for card in cards(vault).values() if card.type is CardType.TASK]
    for status, wanted in ((Status.OPEN, OPEN[week]), (Status.DONE, DONE[week])):
        found = [card.evidence[0].quote for card in tasks if card.status is status]
        assert [text for text in wanted if not any(text in quote for quote in found)] == []
    open_ones = {card.title for card in tasks if card.status is Status.OPEN}
    for question in ("What is still left to do?", "还有哪些事没做完？"):
        hits = [hit for hit in vault.recall(question, k=4).hits if hit.kind == "card"]
        assert {hit.title for hit in hits[: len(open_ones)]} <= open_ones, question
    for question in ("What did we decide?", "我们做了哪些决定？"):
        assert vault.recall(question, k=1).hits[0].type == CardType.DECISION, question
