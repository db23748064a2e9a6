"""`rowspace trace` on a real run, as typed."""

from __future__ import annotations

import re
from math import log


def test_a_real_run_is_traced_in_quotes_commas_and_markup(rowspace, finished, tmp_path):
    text = "it's, a = <b>test</b>\t${x}"
    done = rowspace("trace", str(finished), f"text={text}", f"output={tmp_path / 'page.html'}", cwd=tmp_path)
    assert done.code == 0, done.stderr
    n = len(text.encode())
    assert done.stdout.startswith(f"{n} tokens, {n} bytes: ")
    nats = float(re.search(r"loss ([\d.]+) nats in all", done.stdout)[1])
    bits = float(re.search(r"bytes: ([\d.]+) bits per byte", done.stdout)[1])
    assert abs(bits - nats / log(2) / n) < 0.01
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert not (finished / "trace.html").exists()


def test_what_cannot_be_traced_is_one_sentence(rowspace, finished, tmp_path):
    for words, said in (
        (["text="], "text: has no token"),
        (["text=x", "top=0"], "top: "),
        ([], "text"),
    ):
        done = rowspace("trace", str(finished), *words, cwd=tmp_path)
        assert done.code == 2
        assert said in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
    done = rowspace("trace", str(tmp_path), "text=x", cwd=tmp_path)
    assert done.code == 2
    assert "no run folder" in done.stderr
