"""`bfcl-pipeline gallery`: write a static site of many archives, each verified."""

import argparse
import os
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural
from bfcl_pipeline.cli.options import add_cores, add_data
from bfcl_pipeline.cli.sign import add_trust, attestation
from bfcl_pipeline.cli.steps import StepsShown
from bfcl_pipeline.share.gallery.record import Reproduction
from bfcl_pipeline.share.gallery.site import make_gallery
from bfcl_pipeline.share.gallery.verified import GalleryOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    parser.description = (
        "Verify every archive, and write a static site with the table of all their models, a page for each "
        "archive with what was proved, entries and comparisons. The site needs no server and no network. "
        "Exit status: 0, every archive was derived and is identical; 1, one was refused or differs; 3, "
        "something could not be derived."
    )
    places = "a bundle of `bfcl-pipeline submit`, a folder of bundles or of archives, or an archive"
    parser.add_argument("places", nargs="+", type=Path, metavar="DIR", help=places)
    parser.add_argument("--out", type=Path, required=True, metavar="SITE", help="directory of the site")
    add_data(parser)
    add_cores(parser)
    about = (
        "what was found of each archive, so that it is verified once; it is believed, so nobody else may "
        "write to it (default: bfcl-pipeline/verified in $XDG_CACHE_HOME or ~/.cache)"
    )
    parser.add_argument("--cache", type=Path, default=None, metavar="DIR", help=about)
    parser.add_argument("--title", default=None, metavar="TEXT", help="title of the site")
    add_trust(parser)


def run(options: argparse.Namespace) -> int:
    """Writes the site; prints what was found of each archive."""
    if options.statements is not None:
        raise ConfigError("--statements is of one archive: put the file beside it, as FILE.intoto.jsonl.")
    trusted = attestation(options)
    trusted.check()
    titled = {} if options.title is None else {"title": options.title}
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = options.cache or caches / "bfcl-pipeline/verified"
    chosen = GalleryOptions(options.data, options.cores, kept, attestation=trusted, **titled)
    with StepsShown() as steps:
        made = make_gallery(options.places, options.out, chosen, steps.print, steps)
    archives = plural(len(made.archives), "archive", "archives")
    print(f"{made.index}: {archives}, {made.files:,} files, {made.size / 1e6:,.1f} MB")
    outcomes = {archive.outcome for archive in made.archives}
    if outcomes & {Reproduction.REFUSED, Reproduction.DIFFERS} or any(one.wrong for one in made.archives):
        return 1
    return 0 if outcomes == {Reproduction.DERIVED} else 3
