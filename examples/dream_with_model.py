"""Dreams over the example transcripts with a model file, through llama.cpp's server on loopback.

    python examples/dream_with_model.py SERVER_PYTHON MODEL.gguf

SERVER_PYTHON is the Python of an environment with `llama-cpp-python[server]`; `make llm-test`
makes one. Everything happens in a folder of its own, which is told and kept.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from noctuary import Vault, profiles
from noctuary.distil.openai.wire import Wire
from noctuary.errors import DistillerError
from noctuary.thinker import try_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from noctuary.memory.report import DreamReport

HERE = Path(__file__).parent
STARTS_WITHIN, CONTEXT = 300, 8192
LOGS = (("claude-code", "website.claude-code.jsonl"), ("jsonl", "everyday.zh.jsonl"))


@dataclass(frozen=True)
class Server:
    """llama.cpp's server, serving one model file on loopback."""

    process: subprocess.Popen[bytes]
    url: str


def start(python: str, model: Path, log: Path) -> Server:
    """Start the server; it is ready when it lists its model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    words = ["--model", str(model), "--host", "127.0.0.1", "--port", port, "--n_ctx", str(CONTEXT)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [python, "-m", "llama_cpp.server", *words], stdout=out, stderr=subprocess.STDOUT
        )
    return Server(process, f"http://127.0.0.1:{port}/v1")


def wait_for(server: Server, log: Path) -> None:
    """Until the server answers; ends the program if it does not come up."""
    profile = profiles.known_profile("waiting", "llamacpp", base_url=server.url, call_seconds=5.0)
    wire = Wire(profile)
    for _ in range(STARTS_WITHIN):
        if server.process.poll() is not None:
            sys.exit(f"The server ended with {server.process.returncode}; its log is {log}.")
        try:
            if wire.models():
                wire.close()
                return
        except DistillerError:
            time.sleep(1)
    sys.exit(f"The server did not come up within {STARTS_WITHIN} s; its log is {log}.")


def new_vault(folder: Path) -> Vault:
    """A vault of its own that thinks with the profile `llm-test`."""
    vault = Vault.init(folder / "vault", timezone="UTC")
    config = vault.path / "noctuary.toml"
    text = config.read_text("utf-8")
    config.write_text(text.replace('distiller = "offline"', 'distiller = "llm-test"'), "utf-8")
    return Vault.open(vault.path)


def lines_of(report: DreamReport) -> Iterator[str]:
    """What came out, in words."""
    yield f"{report.result}: {report.summary}"
    yield f"usage: {asdict(report.usage)}, {report.seconds:.0f} s"
    for change in report.changes:
        yield f"  {change.kind} {change.title} · {change.why}"
    yield f"held back or put right by gate and rules: {len(report.rejected)}"
    yield from (f"  {why}" for why in report.rejected)
    yield from (f"  problem: {problem}" for problem in report.problems)


def main(python: str, model: str) -> int:
    """The whole test; 0 when both logs were dreamt over and nothing was lost."""
    folder = Path(tempfile.mkdtemp(prefix="noctuary-llm-"))
    for name in ("CONFIG", "STATE", "CACHE"):
        os.environ[f"NOCTUARY_{name}"] = str(folder / name.lower())
    print(f"Everything is in {folder}.")
    log = folder / "server.log"
    server = start(python, Path(model).resolve(strict=True), log)
    try:
        wait_for(server, log)
        made = profiles.known_profile(
            "llm-test", "llamacpp", base_url=server.url, context_tokens=CONTEXT, call_seconds=900.0,
            dream_minutes=240.0,
        )  # fmt: skip
        profiles.add(made)
        print(try_profile("llm-test").said)
        vault = new_vault(folder)
        good = True
        for kind, name in LOGS:
            vault.import_(kind, [HERE / "transcripts" / name])
            print(f"\n{name}: {vault.estimate()}")
            report = vault.dream(
                watch=lambda beat: print(f"  {beat.stage} {beat.done}/{beat.total} · {beat.words}")
            )
            print("\n".join(lines_of(report)))
            good = good and report.result == "done"
        checked = vault.verify()
        print(f"\nverify: {checked}")
        return 0 if good else 1
    finally:
        server.process.terminate()
        server.process.wait(30)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
