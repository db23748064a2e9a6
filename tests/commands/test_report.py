"""`rowspace report RUN` from a command line."""

from tests.report.folders import make


def test_it_writes_the_page_again_and_says_where(rowspace, tmp_path):
    make(tmp_path / "run")
    done = rowspace("report", "run", cwd=tmp_path)
    assert done.code == 0
    assert done.stdout.strip() == "run/report.html"
    assert "This model needs" in (tmp_path / "run" / "report.html").read_text()


def test_without_a_run_it_says_what_is_missing(rowspace, tmp_path):
    done = rowspace("report", cwd=tmp_path)
    assert done.code == 2
    assert "path" in done.stderr


def test_a_folder_that_is_no_run_is_refused_in_one_sentence(rowspace, tmp_path):
    done = rowspace("report", "nowhere", cwd=tmp_path)
    assert done.code == 2
    assert "nowhere is no run folder" in done.stderr
    assert "Traceback" not in done.stderr
