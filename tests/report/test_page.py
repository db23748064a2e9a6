"""report.html as text: complete, escaped, light, and made of whatever a run folder holds."""

import base64
import json
import re
import shutil
import zlib

import pytest
import yaml
from jinja2 import Environment

from rowspace.report.page import Page
from rowspace.runfolder import RunFolder
from tests.figures.rows import HOSTILE
from tests.report.folders import CONFIG, make


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> RunFolder:
    return make(tmp_path_factory.mktemp("run") / "finished")


@pytest.fixture(scope="module")
def page(folder) -> str:
    return Page(folder).render(live=False)


def text_of(page: str) -> str:
    """What a reader sees, roughly."""
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S))


def test_the_page_is_written_into_the_folder(folder):
    assert Page(folder).write(live=False) == folder.path / "report.html"
    assert [path.name for path in folder.path.iterdir() if path.name.startswith(".")] == []


def test_a_page_that_is_written_again_compiles_nothing_and_says_what_the_folder_says_now(tmp_path, monkeypatch):
    compiled = []
    compile_ = Environment.compile
    monkeypatch.setattr(Environment, "compile", lambda *args, **more: compiled.append(1) or compile_(*args, **more))
    folder = make(tmp_path / "run")
    page = Page(folder)
    first, once = page.render(live=True), len(compiled)
    (tmp_path / "words.json").write_text('{"words": ["gloss"]}')
    folder.write_text("config.yaml", yaml.safe_dump({**CONFIG, "probes": {"blocked": str(tmp_path / "words.json")}}))
    folder.update(status="interrupted")
    again = page.render(live=True)
    assert 0 < once == len(compiled)
    assert again != first
    assert again == Page(folder).render(live=True)


def test_the_first_sentence_is_the_result_beside_its_floors(page):
    seen = text_of(page)
    assert "This model needs 1.417 bits for a byte of test text that it never saw" in seen.replace("\xa0", " ").replace(
        "&nbsp;", " "
    )
    assert "token frequencies alone need 2.31 , blind guessing 3.21" in seen.replace("2.31,", "2.31 ,")
    for fact in ("2.46 M", "2 min 41 s", "1.45 M", "1.2 GB", "✓ bytes: exact", "✗ closure: open"):
        assert fact in seen


def test_sections_come_in_the_order_of_a_readers_questions(page):
    names = ["result", "learned", "path", "front", "cost", "provenance"]
    places = [page.index(f'id="{name}"') for name in names]
    assert places == sorted(places)
    assert all(f'href="#{name}"' in page for name in names)


def test_every_certificate_links_to_its_evidence(page):
    for name in ("bytes", "closure", "tie", "position"):
        assert f'href="#certificate-{name}"' in page
        assert f'id="certificate-{name}"' in page


def test_corpus_text_is_never_markup(page):
    scripts = re.findall(r"<script\b[^>]*>", page)
    assert scripts == ['<script type="text/plain" id="figures">', '<script type="text/plain" id="library">', "<script>"]
    assert HOSTILE not in page
    assert page.count("hacked") >= 4  # shown, as text, in each of the places that hold it
    assert "‮" not in page


def test_the_policy_allows_two_known_scripts_and_no_network(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert re.fullmatch(r"('sha256-[A-Za-z0-9+/=]{44}' ?){2}", rules["script-src"])
    assert "connect-src" not in rules
    assert not re.findall(r'(?:src|href)="(?!#)', page)


def test_the_page_is_light(page):
    assert len(page.encode()) < 3_000_000


def test_successes_and_failures_stand_side_by_side_with_chance(page):
    seen = text_of(page)
    assert "✓ shares a word list" in seen
    assert "✗ shares none" in seen
    assert "were the lists dealt anew among words as frequent, it would be 1.0 " in seen
    assert "1 success : a word list holds both words" in seen
    assert "131 failure : no word list holds both" in seen
    assert "missing: the vocabulary has no piece for it" in seen


def test_a_live_page_says_where_it_stands(folder):
    seen = text_of(Page(folder).render(live=True))
    assert "Training: step 600 of 600" in seen
    assert "refreshes by itself" in seen


def test_bits_per_byte_that_do_not_exist_are_replaced_by_their_reason(tmp_path):
    run = {"metrics": {"test/bpb": None, "test/loss": 3.2}, "reasons": {"test/bpb": "4.1 % of the bytes are <UNK>"}}
    seen = text_of(Page(make(tmp_path / "run", **run)).render(live=False))
    assert "test loss of 3.200" in seen.replace("\xa0", " ")
    assert "Bits per byte do not exist here: 4.1 % of the bytes are &lt;UNK&gt;" in seen


def test_a_failed_run_says_why_and_an_interrupted_one_how_to_go_on(tmp_path):
    failed = make(tmp_path / "failed", status="failed", error="loss is not finite at step 40 <b>")
    assert "This run failed after step 600. loss is not finite at step 40 &lt;b&gt;" in text_of(
        Page(failed).render(live=False)
    ).replace(" .", ".")
    stopped = make(tmp_path / "stopped", status="interrupted")
    assert "The same command resumes it" in text_of(Page(stopped).render(live=False))


@pytest.mark.slow
def test_a_run_killed_at_any_moment_has_a_page(tmp_path):
    whole = make(tmp_path / "whole")
    parts = sorted(
        path.relative_to(whole.path) for path in whole.path.rglob("*") if path.is_file() and path.name != "run.json"
    )
    assert len(parts) > 8
    for missing in parts:
        copy = tmp_path / "copy"
        shutil.copytree(whole.path, copy)
        (copy / missing).unlink()
        assert "What E learned" in Page(RunFolder(copy)).render(live=True)
        shutil.rmtree(copy)


@pytest.mark.parametrize("live", [True, False])
def test_an_empty_run_folder_has_a_page_full_of_reasons(tmp_path, live):
    (tmp_path / "run.json").write_text("{}")
    seen = text_of(Page(RunFolder(tmp_path)).render(live=live))
    assert "No result yet: this run has not validated yet" in seen
    for reason in ("No map", "No neighbours", "No loss was logged", "No geometry", "No truth card", "No certificate"):
        assert reason in seen


def test_a_damaged_table_is_said_and_the_rest_is_shown(tmp_path):
    folder = make(tmp_path / "run")
    (folder.path / "tables" / "neighbours.parquet").write_bytes(b"not a table")
    seen = text_of(Page(folder).render(live=False))
    assert "neighbours.parquet is damaged" in seen
    assert "This model needs" in seen


def test_an_untied_run_can_switch_between_its_two_tables(tmp_path):
    page = Page(make(tmp_path / "run", tables=("E", "U"))).render(live=False)
    assert 'value="map_U"' in page


def test_a_run_that_watched_nothing_says_so(tmp_path):
    folder = make(tmp_path / "run")
    shutil.rmtree(folder.path / "tables")
    shutil.rmtree(folder.path / "figures")
    assert "watched nothing (probes=none)" in text_of(Page(folder).render(live=False))


def test_what_e_learned_opens_with_every_score_beside_chance(page):
    seen = text_of(page)
    assert (
        "Of 3 questions put to E, with 5 numbers: 1 better than chance, 2 better by some of their numbers only." in seen
    )
    at = page.index('<table class="rows scores">')
    assert page.index('id="learned"') < at < page.index('id="map"')
    assert "✓ learned" in text_of(page[at:])
    assert "29 of 124" in seen
    assert 'href="#pairs"' in page
    assert 'id="pairs"' in page


def test_an_answer_shows_successes_beside_failures_and_folds_the_rest(page):
    pairs = page[page.index('<section id="pairs"') : page.index('<details id="head"')]
    seen = text_of(pairs)
    assert "Successes (2)" in seen
    assert "Failures (120)" in seen
    assert seen.count("far 0") >= 1
    assert '<table class="rows shown paged"' in pairs[pairs.index("<details>") :]


def test_an_answer_that_is_damaged_is_said_and_the_rest_is_shown(tmp_path):
    folder = make(tmp_path / "run")
    (folder.answers / "pairs.json").write_text("{")
    seen = text_of(Page(folder).render(live=False))
    assert "pairs.json is damaged" in seen
    assert "This model needs" in seen


def test_blocked_words_are_masked_in_text_tables_and_figures_and_the_files_keep_them(tmp_path):
    folder = make(tmp_path / "run", hostile="zq-badword")
    mine = tmp_path / "mine.json"
    mine.write_text('{"words": ["badword", "king"]}')
    folder.write_text("config.yaml", yaml.safe_dump({**CONFIG, "probes": {"name": "default", "blocked": str(mine)}}))
    page = Page(folder).render(live=False)
    plain = page.replace("train &#39;tokenizer=bpe&#39; zq-badword", "")  # the command must stay exact
    assert "badword" not in plain
    assert "zq-■■■" in plain
    figures = zlib.decompress(base64.b64decode(re.search(r'id="figures">([^<]+)<', page)[1])).decode()
    shown = json.dumps(json.loads(figures), ensure_ascii=False)
    assert "␣■■■" in shown
    assert "␣king" not in shown
    assert any(row["word"] == "king" for row in folder.read_table("neighbours"))


def test_a_block_list_that_is_gone_is_said_and_ours_masks_instead(tmp_path):
    folder = make(tmp_path / "run")
    gone = {"name": "default", "blocked": str(tmp_path / "gone.json")}
    folder.write_text("config.yaml", yaml.safe_dump({**CONFIG, "probes": gone}))
    assert "gone.json cannot be read" in text_of(Page(folder).render(live=False))


def test_a_configuration_that_blows_up_is_a_sentence_on_the_page(tmp_path):
    folder = make(tmp_path / "run")
    folder.write_text("config.yaml", "a: &a [1, 1]\nb: &b [*a, *a]\nc: [*b, *b]\n")
    seen = text_of(Page(folder).render(live=False))
    assert "config.yaml cannot be read: it has an alias" in seen
    assert "This model needs" in seen
