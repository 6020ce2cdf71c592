"""What a loader prints about its progress, what loaders, batches and previews look like, and previews that cannot be drawn."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

import millrace
from millrace import _describe, _progress

from .test_package import launcher  # noqa: F401

PNG = b"\x89PNG\r\n\x1a\n, and so on"
DRAWS = f"""
if sys.argv[1] == "preview":
    if "--epoch" in sys.argv:
        print("millrace: --epoch 9: expected an epoch from 0 to 2", file=sys.stderr)
        sys.exit(2)
    open(sys.argv[sys.argv.index("--out") + 1], "wb").write({PNG!r})
    open("drawn", "w").write(" ".join(sys.argv[1:]))
    sys.exit()
"""


def printed(peer, capsys, **options):
    with millrace.Loader(peer().address, **options) as loader:
        for _ in loader:
            pass
    return capsys.readouterr().err


def test_outside_of_a_notebook_only_those_who_ask_see_progress_and_a_file_has_lines(peer, capsys, monkeypatch):
    monkeypatch.setattr(_progress.Lines, "interval", 0.0)
    for options in ({}, {"progress": False}, {"progress": False, "verbose": True}):
        assert printed(peer, capsys, **options) == ""
    for options in ({"progress": True}, {"verbose": True}, {"progress": True, "verbose": True}):
        lines = printed(peer, capsys, **options).splitlines()
        assert all(line.startswith("millrace: step ") for line in lines) and len(lines) >= 10


@pytest.mark.parametrize("wrong", ["yes", 1, 0.0])
def test_another_value_for_progress_is_refused(wrong):
    with pytest.raises(TypeError, match=f"^progress is {wrong!r}, expected None, True or False$"):
        millrace.Loader("unix:/nowhere", progress=wrong)


def test_a_terminal_has_one_line_for_each_pass(peer):
    code = f"import millrace\nwith millrace.Loader({peer(epochs=2).address!r}, progress=True) as loader:\n"
    code += " for _ in range(2):\n  for _ in loader: pass\n"
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    done = subprocess.Popen([sys.executable, "-c", code], stderr=theirs, cwd=os.path.dirname(os.path.dirname(__file__)))
    os.close(theirs)
    text = b""
    while True:
        try:
            text += os.read(ours, 10000)
        except OSError:  # The program, which has the other end, is gone.
            break
    os.close(ours)
    assert done.wait() == 0
    lines = [line.rsplit("\r", 1)[-1] for line in text.decode().replace("\r\n", "\n").strip("\n").split("\n")]
    assert len(lines) == 2, text
    for epoch, line in enumerate(lines):
        assert re.match(rf"epoch {epoch}: 100%\|#{{20}}\| 5/5 \[00:00<00:00, [\d.]+", line), line
        assert len(line) == 59


def test_a_bar_shows_a_wait_with_its_reason_and_covers_what_was_longer(capsys, monkeypatch):
    figures = _progress.Figures()
    bar = _progress.Bar(figures, None)
    monkeypatch.setattr(bar, "interval", 0.0)
    plan = type("Plan", (), {"steps_per_epoch": 200, "sources": ()})
    figures.reason = "decode is busy"
    bar.show(plan, 350, received=False)
    bar.show(plan, 350, received=True)
    bar.end()
    bar.end()
    waits, shows, ends = capsys.readouterr().err.split("\r")[1:]
    assert waits == "epoch 1:  75%|###############     | 150/200 decode is busy"
    assert shows == "epoch 1:  76%|###############     | 151/200 [00:00]".ljust(len(waits))
    assert ends.rstrip() == shows.rstrip() and ends.endswith("\n")


def test_loaders_and_batches_show_their_fields_without_using_them(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        batch = next(iter(loader))
        for _ in range(2):
            assert repr(batch).startswith("Batch(step=0, epoch=0, rows=4, ") and "image=uint8[4, 4, 5, 3]" in repr(batch)
            assert "<td>uint8[4, 4, 5, 3]</td>" in batch._repr_html_() and "__weight__" not in batch._repr_html_()
            assert f"Loader('{server.address}', address='{server.address}', step=" in repr(loader)
            assert "10 batches per epoch" in repr(loader) and "<th>batches per epoch</th><td>10</td>" in loader._repr_html_()
    assert "image=uint8" in repr(loader), "a closed loader"


def test_a_line_has_the_first_ten_fields_and_marks_what_varies():
    def field(name, form="dense"):
        return millrace.Field(name, "int64", (2,), form, "tensor", "int64", 0, None)

    line = _describe.fields_line([field("__index__"), field("a\nb", "ragged"), *(field(f"x{i}") for i in range(11))], 4)
    assert line.startswith("a\\nb=ragged int64[4, *, 2], x0=int64[4, 2], ")
    assert line.endswith(", x8=int64[4, 2], ... 2 more fields")
    assert "<td>a&lt;b</td>" in _describe.table("Batch", [("step", 1)], [field("a<b")], 4)


def test_a_look_at_a_batch_that_is_shown_costs_nothing(peer):
    with millrace.Loader(peer().address) as loader:
        repr(next(iter(loader)))
        next(iter(loader))._repr_html_()
        assert [batch.step for batch in loader] == list(range(10))


def test_a_preview_is_drawn_with_the_pipeline_and_the_settings_of_the_loader(launcher, tmp_path, monkeypatch):  # noqa: F811
    program = launcher.parent.parent / "millrace"
    program.write_text(program.read_text().replace("command, pipeline,", DRAWS + "command, pipeline,", 1))
    monkeypatch.chdir(launcher.parent)
    with millrace.Loader(launcher, settings=["a=1", "b=2"]) as loader:
        assert next(loader).step == 0
        found = loader.preview(3, split="evaluate")
        words = (launcher.parent / "drawn").read_text()
        assert words.startswith(f"preview {launcher} --count 3 --split evaluate --out ")
        assert words.endswith(" --set a=1 --set b=2")
        assert found._repr_png_() == found.png == PNG
        assert repr(found) == f"Preview({str(launcher)!r}, evaluate, {len(PNG)} bytes of PNG)"
        found.save(tmp_path / "sheet.PNG")
        assert (tmp_path / "sheet.PNG").read_bytes() == PNG
        with pytest.raises(ValueError, match=r"^the picture is a PNG: expected the name of a \.png file, found sheet\.jpg$"):
            found.save("sheet.jpg")
        with pytest.raises(millrace.MillraceError, match="^millrace: --epoch 9: expected an epoch from 0 to 2$"):
            loader.preview(epoch=9)
        for arguments, words in (
            ({"count": 0}, "count is 0, expected a number of samples from 1 to 120"),
            ({"count": 121}, "count is 121, expected a number of samples from 1 to 120"),
            ({"split": "test"}, "split is 'test', expected 'train' or 'evaluate'"),
            ({"epoch": -1}, "epoch is -1, expected at least 0"),
        ):
            with pytest.raises(ValueError, match=f"^{words}$"):
                loader.preview(**arguments)
        with pytest.raises(TypeError, match="count"):
            loader.preview("8")
        assert next(loader).step == 1
    with pytest.raises(millrace.LoaderClosed):
        loader.preview()


def test_a_loader_of_an_address_has_no_preview(peer):
    server = peer()
    with millrace.Loader(server.address) as loader:
        with pytest.raises(millrace.MillraceError, match="only a loader of a pipeline file has a preview, but this one"):
            loader.preview()
