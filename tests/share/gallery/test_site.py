"""Bundles and sites of real runs: what is proved of honest, damaged, tampered and lying ones."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.archived.writing import UNSEALED, seal
from bfcl_pipeline.share.archive.attestations import AttestationOptions
from bfcl_pipeline.share.archive.replay import derive
from bfcl_pipeline.share.exports.every_eval_ever import SCHEMA_VERSION
from bfcl_pipeline.share.gallery import bundle as bundles
from bfcl_pipeline.share.gallery.bundle import write_sums
from bfcl_pipeline.share.gallery.bundle_check import Bundle
from bfcl_pipeline.share.gallery.find import find_archives
from bfcl_pipeline.share.gallery.record import ArchiveRecord, Reproduction, write_record
from bfcl_pipeline.share.gallery.verified import verification_key
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import KEY_VARIABLE, NAME, SmallRun
from tests.share.archive.test_tampered import tampered
from tests.support.ssh_keys import allow, make_key, needs_ssh

ORGANIZATION = "An Example & Sons <b>"


def submit(run: SmallRun, out: Path, *options: str) -> int:
    """`bfcl-pipeline submit`; its exit status."""
    places = ["--data", str(run.data), "--cache", str(run.cache), "--organization", ORGANIZATION]
    return main(["submit", str(run.results), "--out", str(out), *places, *options])


def gallery(run: SmallRun, site: Path, *places: Path, signers: Path | None = None) -> int:
    """`bfcl-pipeline gallery`; its exit status."""
    options = ["--out", str(site), "--data", str(run.data), "--cores", "2"]
    trust = ["--signers", str(signers)] if signers else []
    return main(["gallery", *map(str, places), *options, *trust])


def contents(folder: Path) -> dict[str, str]:
    """The sha256 of each file below a folder."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): file_sha256(path) for path in files}


@pytest.fixture(scope="module")
def bundle(small_run: SmallRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of the small run; read-only."""
    out = tmp_path_factory.mktemp("bundles") / "honest"
    assert submit(small_run, out) == 0
    return out


def test_a_bundle_has_all_that_others_need(bundle: Path) -> None:
    """Its sums are those of every other file, as `sha256sum` says; records are of this schema."""
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(command, cwd=bundle, capture_output=True, text=True, check=True)
    listed = {line.rpartition(": ")[0] for line in done.stdout.splitlines()}
    assert listed == set(contents(bundle)) - {"SHA256SUMS"}
    assert f"{NAME}.crate.zip" in listed
    assert any(name.startswith("official/result/oracle-FC/") for name in listed)
    documents = [json.loads(path.read_text()) for path in bundle.glob("every_eval_ever/**/*.json")]
    assert len(documents) == 3
    for document in documents:
        assert document["schema_version"] == SCHEMA_VERSION
        assert document["source_metadata"]["source_organization_name"] == ORGANIZATION
    readme = (bundle / "README.md").read_text()
    assert hashlib.sha256((bundle / f"{NAME}.crate.zip").read_bytes()).hexdigest() in readme
    assert "bfcl-pipeline verify small.crate.zip" in readme
    assert str(bundle) not in readme


def test_the_same_run_gives_the_same_bundle(bundle: Path, own_run: SmallRun, tmp_path: Path) -> None:
    """In another directory, with other times of its files; and a bundle is not written twice."""
    again = tmp_path / "again"
    assert submit(own_run, again) == 0
    assert contents(again) == contents(bundle)
    assert submit(own_run, again) == 1
    assert contents(again) == contents(bundle)


@needs_ssh
def test_signatures_of_the_archive_are_in_the_bundle_too(
    own_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Signed before `submit`, and by another key in it. Of an archive by other authors, none is."""
    archive = own_run.results.with_name(f"{NAME}.crate.zip")
    keys = [make_key(tmp_path / name) for name in ("mine", "theirs")]
    assert own_run.archive(archive) == 0
    assert f"bfcl-pipeline verify {archive}\n" in capsys.readouterr().out
    assert main(["sign", str(archive), "--key", str(keys[0])]) == 0
    assert submit(own_run, tmp_path / "both", "--sign", str(keys[1])) == 0
    assert f"1 signature of {NAME}.crate.zip: in the bundle\n" in capsys.readouterr().out
    bundled = tmp_path / f"both/{NAME}.crate.zip"
    for key in keys:
        trust = ["--signers", f"{key}.pub", "--require-signature", f"{key.name}.pub"]
        assert main(["verify", str(bundled), "--data", str(tmp_path), *trust]) == 3
    assert "attested      run        theirs.pub: small, ended" in capsys.readouterr().out
    assert submit(own_run, tmp_path / "other", "--author", "Another One") == 0
    assert "left out, it is of another archive" in capsys.readouterr().out
    assert not list((tmp_path / "other").glob("*.jsonl"))


def test_a_run_with_a_secret_leaves_no_bundle(
    own_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written, and the message names the place."""
    monkeypatch.setenv(KEY_VARIABLE, "a-key-that-leaked-into-a-log")
    log = next((own_run.results / "logs").rglob("*.log"))
    log.write_text(log.read_text() + "a-key-that-leaked-into-a-log")
    out = tmp_path / "out"
    assert submit(own_run, out / "bundle") == 1
    assert log.name in capsys.readouterr().err
    assert list(out.iterdir()) == []


@dataclass(frozen=True, slots=True)
class Made:
    """A site, and what was given."""

    site: Path
    given: Path
    status: int
    signers: Path | None  # who is trusted; None without ssh-keygen


@pytest.fixture(scope="module")
def made(small_run: SmallRun, bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A site of an honest bundle, a lying one of the same run, a truncated and a tampered archive.

    The three that can be read have the same inputs: they are derived once, and each is compared with that.
    """
    given = tmp_path_factory.mktemp("given")
    shutil.copytree(bundle, given / "honest")
    archive = bundle / f"{NAME}.crate.zip"
    (given / "cut.crate.zip").write_bytes(archive.read_bytes()[:-100])
    repack(archive, given / "tampered.crate.zip", tampered("verdict", small_run))
    folder = tmp_path_factory.mktemp("site")
    signers = None
    signed: list[str] = []
    if shutil.which("ssh-keygen"):
        key = make_key(folder / "key")
        signers = allow(folder / "signers", ("someone@example.org", key))
        signed = ["--sign", str(key)]
    assert submit(small_run, given / "lying", "--author", "Another One", *signed) == 0
    lie(given / "lying")
    site, derived = folder / "site", folder / "derived"

    def derived_once(*run: Any, **places: Any) -> Path:
        return derived if derived.is_dir() else shutil.copytree(derive(*run, **places), derived)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bfcl_pipeline.share.archive.verify.derive", derived_once)
        status = gallery(small_run, site, given, signers=signers)
    return Made(site, given, status, signers)


def lie(folder: Path) -> None:
    """Raises a score, changes an answer, and writes the sums again."""
    record = next(path for path in folder.glob("every_eval_ever/**/*.json") if "oracle" in path.parts[-2])
    document = json.loads(record.read_text())
    document["evaluation_results"][0]["score_details"]["score"] = 12.5
    record.write_text(json.dumps(document))
    answers = next(folder.glob("official/result/oracle-FC/non_live/*.json"))
    answers.write_text(answers.read_text().replace("simple_python_0", "simple_python_7"))
    (folder / "SHA256SUMS").unlink()
    write_sums(folder)


def page_of(made: Made, file: Path) -> str:
    return (made.site / f"archive-{file_sha256(file)[:16]}.html").read_text()


def test_what_is_proved_of_each_archive(made: Made) -> None:
    """The honest one is derived; the lying one too, but its files differ; the others have no rank."""
    assert made.status == 1
    honest = page_of(made, made.given / "honest" / f"{NAME}.crate.zip")
    assert "files were derived again and are identical" in honest
    assert "scores equal the derived ones" in honest
    assert "differ from it" not in honest
    lying = page_of(made, made.given / "lying" / f"{NAME}.crate.zip")
    assert "12.5, derived 100.0" in lying
    assert "BFCL_v4_simple_python_result.json differs from the archive&#39;s answers" in lying
    assert "SHA256SUMS: " in lying
    tampered_page = page_of(made, made.given / "tampered.crate.zip")
    assert "DIFFERS" in tampered_page
    assert "report.html" not in tampered_page
    index = (made.site / "index.html").read_text()
    ranked, _, rest = index.partition('id="unranked"')
    assert "tampered" not in ranked
    assert "cut.crate.zip" in rest
    assert "no seal at its end" in rest
    assert file_sha256(made.given / "tampered.crate.zip")[:16] in rest
    assert ranked.count("mean of 2 trials") == 3 * 2  # each rule set, two archives


@needs_ssh
def test_a_signer_who_is_trusted_is_named(made: Made) -> None:
    """In the list of the attested, on a badge, and the statements can be downloaded."""
    page = page_of(made, made.given / "lying" / f"{NAME}.crate.zip")
    assert "signed by someone@example.org" in page
    assert ".crate.zip.intoto.jsonl" in page
    honest = page_of(made, made.given / "honest" / f"{NAME}.crate.zip")
    assert ">signed<" not in honest
    assert (made.site / "index.html").read_text().count(">signed</span>") == 3 * 2  # rule sets, models


def test_a_second_site_verifies_nothing_again(
    made: Made, small_run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(made.site)
    assert gallery(small_run, made.site, made.given, signers=made.signers) == 1
    output = capsys.readouterr().out
    assert output.count("as found before") == 3
    assert "being verified" not in output
    assert contents(made.site) == before


def test_a_site_has_the_archives_and_reports_that_it_names(made: Made) -> None:
    """Every link leads to a file of the site, archives have the sha256 of their page."""
    for page in made.site.glob("*.html"):
        for target in re.findall(r'href="([^"#]+)"', page.read_text()):
            assert (made.site / target).is_file(), target
    honest = file_sha256(made.given / "honest" / f"{NAME}.crate.zip")
    copied = made.site / f"archives/{honest[:16]}.crate.zip"
    assert file_sha256(copied) == honest
    report = made.site / "reports" / honest[:16] / "report.html"
    assert b"Content-Security-Policy" in report.read_bytes()


def test_an_archive_that_is_gone_leaves_the_site(
    made: Made, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its page, its copy and its report; a folder of something else is refused."""
    site = tmp_path / "site"
    shutil.copytree(made.site, site)
    own = [site / "archive-mine.html", site / "mine.html"]
    for path in own:
        path.touch()
    assert gallery(small_run, site, made.given / "honest", signers=made.signers) == 0
    assert "being verified" not in capsys.readouterr().out
    assert all(path.is_file() for path in own)
    assert len(set(site.glob("archive-*.html")) - set(own)) == 1
    assert len(list((site / "archives").iterdir())) == len(list((site / "reports").iterdir())) == 1
    assert gallery(small_run, made.given, made.given / "honest") == 1
    assert "something else" in capsys.readouterr().err


def test_without_the_release_nothing_is_ranked(
    made: Made, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only hashes were checked, which the page says."""
    (tmp_path / "data").mkdir()
    empty = SmallRun(tmp_path)
    assert gallery(empty, tmp_path / "site", made.given / "honest") == 3
    assert "not derived" in capsys.readouterr().out
    index = (tmp_path / "site/index.html").read_text()
    assert 'class="standings"' not in index
    assert "only their hashes were checked" in index


@needs_ssh
@pytest.mark.parametrize("name", ["a-copy", "z-copy"])
def test_a_copy_takes_nothing_from_the_signed_archive(
    made: Made, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Wherever it sorts, and as a bundle; of its own statements only those that hold are added."""
    archive, given = made.given / "lying" / f"{NAME}.crate.zip", tmp_path / "given"
    (tmp_path / "data").mkdir()
    (given / "m-honest").mkdir(parents=True)
    (given / name).mkdir()
    shutil.copy(archive, given / "m-honest")
    shutil.copy(f"{archive}.intoto.jsonl", given / "m-honest")
    copy = given / name / "Mallory.crate.zip"
    shutil.copy(archive, copy)
    (copy.parent / "SHA256SUMS").touch()
    assert main(["sign", str(copy), "--key", str(make_key(tmp_path / "other"))]) == 0
    statements = copy.with_name(f"{copy.name}.intoto.jsonl")
    other = statements.read_bytes()
    statements.write_bytes(b"no statement\n" + other.replace(b'"sig":"', b'"sig":"AAAA') + other)
    assert gallery(SmallRun(tmp_path), tmp_path / "site", given, signers=made.signers) == 1  # empty sums
    page = page_of(Made(tmp_path / "site", given, 1, None), archive)
    assert "signed by someone@example.org" in page
    assert "DIFFERS" not in page
    # The page has the name of the copy only in what it lists as different in the folder of the copy.
    assert page.count("Mallory") == page.count("SHA256SUMS: Mallory") > 0
    assert f"in {name}: SHA256SUMS" in page
    (served,) = (tmp_path / "site/archives").glob("*.intoto.jsonl")
    own = Path(f"{archive}.intoto.jsonl").read_bytes()
    assert served.read_bytes() == own + other
    assert "files beside it differ" not in (tmp_path / "site/index.html").read_text()


def test_nothing_in_a_site_is_believed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A record of a verification that somebody put into the site changes nothing."""
    given, site, data = tmp_path / "given", tmp_path / "site", tmp_path / "data"
    for folder in (given, data, site / "archives", site / "reports", site / ".verified"):
        folder.mkdir(parents=True)
    (given / "forged.crate.zip").write_bytes(UNSEALED)
    seal(given / "forged.crate.zip")
    (found,) = find_archives([given], print)
    key = verification_key(found, [Bundle.read(given)], data, AttestationOptions())
    forged = ArchiveRecord(key, "forged", found.sha256, 14, Reproduction.DERIVED, ())
    for name in (key, found.sha256):
        write_record(site / f".verified/{name}.json", forged)
    assert gallery(SmallRun(tmp_path), site, given) == 1
    assert "forged.crate.zip: refused" in capsys.readouterr().out


def test_two_at_once_write_one_bundle(
    small_run: SmallRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second one says that it exists, and changes nothing."""
    out = tmp_path / "out"

    def and_another(bundle: Path) -> None:
        out.mkdir()
        (out / "README.md").write_text("of the first")
        write_sums(bundle)

    monkeypatch.setattr(bundles, "write_sums", and_another)
    assert submit(small_run, out) == 1
    assert "already exists" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert contents(out).keys() == {"README.md"}


def test_names_of_files_may_be_anything(
    small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that is not UTF-8 and has an escape; beside the archive are pipes and links."""
    given, site = tmp_path / "given", tmp_path / "site"
    given.mkdir()
    file = given / os.fsdecode(b"\xff\x1b[2J\n<b>.crate.zip")
    file.write_text("not an archive")
    os.mkfifo(given / f"{file.name}.intoto.jsonl")
    os.mkfifo(given / "SHA256SUMS")
    (given / "every_eval_ever").symlink_to("/")
    assert gallery(small_run, site, given) == 1
    assert "\x1b" not in capsys.readouterr().out
    assert "\\udcff\\x1b[2J\\n&lt;b&gt;" in (site / "index.html").read_text()
    assert all(path.name.isascii() and path.name.isprintable() for path in site.rglob("*"))
