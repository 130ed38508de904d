"""Files appear whole or not at all, whoever else writes the same one, and keep their permissions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conceptrules.io.whole_file import remove_abandoned, whole_file, write_whole


def test_threads_that_write_one_file_never_tear_it(tmp_path: Path) -> None:
    path, contents = tmp_path / "model.json", [bytes([letter]) * 100_000 for letter in b"abc"]
    write_whole(contents[0], path)

    def write(content: bytes) -> None:
        for _ in range(60):
            write_whole(content, path)

    def read() -> set[bytes]:
        return {path.read_bytes() for _ in range(200)}

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(write, content) for content in contents]
        reads = pool.submit(read).result()
        for writer in writers:
            writer.result()
    assert reads <= set(contents)
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize("mode", [0o600, 0o640])
def test_a_file_that_is_written_anew_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "model.json"
    write_whole(b"old", path)
    path.chmod(mode)
    write_whole(b"new", path)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_whole(b"old", path)
    with pytest.raises(TypeError), whole_file(path) as file:
        file.writelines([b"half", "half"])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_what_a_killed_writer_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path: Path) -> None:
    ended = [sys.executable, "-c", "import os; print(os.getpid())"]
    path, dead = tmp_path / "run.ckpt", subprocess.run(ended, capture_output=True, check=True).stdout
    for process in (int(dead), os.getpid()):
        (tmp_path / f".run.ckpt.{process}.aa.tmp").touch()
    remove_abandoned(path)
    assert [entry.name for entry in tmp_path.iterdir()] == [f".run.ckpt.{os.getpid()}.aa.tmp"]


ENDLESS = """
import sys, time
from conceptrules import cli
from conceptrules.cli import app
from conceptrules.io.whole_file import whole_file
from pathlib import Path

def write(*_, **__):
    with whole_file(Path(sys.argv[1])) as file:
        file.write(b"half")
        file.flush()
        print("writing", flush=True)
        time.sleep(60)

app.app = write
cli.main([])
"""


def test_a_command_that_is_terminated_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDLESS, str(tmp_path / "model.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"writing\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
def test_a_full_disk_is_told_with_the_file(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys; from pathlib import Path; from conceptrules.io.whole_file import write_whole\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: write_whole(bytes(100_000), sys.argv[1])\n"
        "except OSError as error: print(error.filename)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model.json")]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str(tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []
