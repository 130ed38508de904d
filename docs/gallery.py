"""Makes the pictures of gallery.md: runs its code in docs/images/gallery and leaves only the pictures there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

DOCS = Path(__file__).parent.resolve()
PICTURES = DOCS / "images" / "gallery"


def main() -> None:
    """The blocks share one folder and one namespace, as in tests/test_docs.py."""
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names: dict[str, object] = {}
        for language, code in re.findall(r"^```(python|console)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
            if language == "python":
                exec(compile(code, "gallery.md", "exec"), names)
            else:
                for command in re.findall(r"^\$ (.*)$", code, re.MULTILINE):
                    subprocess.run(command, shell=True, check=True)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name in re.findall(r"\(images/gallery/([\w.-]+)\)", page):
            shutil.copy(name, PICTURES)
            print(PICTURES.relative_to(DOCS.parent) / name)
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
