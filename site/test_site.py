"""Every page is in the tree, every link leads somewhere, and a link that does not is seen."""

import contextlib
import io
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import build

PROGRAM = Path(os.environ["ARCFOUR_PROGRAMS"]) / "arcfour"


class FrontPage(unittest.TestCase):
    """The first screen of the README leads to eleven tasks. `lab/tests/test_readme.py` runs the commands of each as printed."""

    def test_eleven_tasks_are_linked_on_the_first_screen_and_show_a_command(self):
        screen = "\n".join((build.ROOT / "README.md").read_text("utf-8").splitlines()[:40])
        linked = re.findall(r"\]\((site/guides/[\w-]+\.md)\)", screen)
        self.assertEqual(len(linked), 11)
        self.assertEqual(sorted(linked), sorted(f"site/guides/{page.name}" for page in (build.HERE / "guides").glob("*.md")))
        shows = re.compile(r"^\$ |`(make|pip install|arcfour) ", re.MULTILINE)
        self.assertEqual([link for link in linked if not shows.search((build.ROOT / link).read_text("utf-8"))], [])


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def small(self, text: str) -> list[str]:
        """The faults of a site with one page."""
        source = self.folder / "small"
        source.mkdir()
        shutil.copyfile(build.HERE / "conf.py", source / "conf.py")
        (source / "index.md").write_text("# A page\n\n" + text)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            faults = build.pages(source, self.folder / "out")
        return faults and [*faults, said.getvalue()]

    def test_a_good_page_has_no_faults(self):
        self.assertEqual(self.small("[here](#a-page) [file](conf.py) [web](https://example.org/x)\n"), [])

    def test_a_missing_file_is_seen(self):
        self.assertIn("no/such.md", "".join(self.small("[file](no/such.md)\n")))

    def test_a_missing_heading_is_seen(self):
        self.assertIn("no-such", "".join(self.small("[heading](#no-such)\n")))

    def test_a_missing_picture_in_html_is_seen(self):
        self.assertEqual(self.small('<picture>\n<img src="no/such.svg" alt="">\n</picture>\n')[0], "index.md: no/such.svg leads to no file")

    def test_the_site_has_the_references_and_no_dead_link(self):
        out, built = self.folder / "site", self.folder / "built"
        for page in ("report/index.html", "doc/arcfour/index.html", "doc/arcfour_stats/ent/index.html", "reference/python/index.html"):
            (built / page).parent.mkdir(parents=True, exist_ok=True)
            (built / page).write_text(page)
        front = '<a href="ent/index.html">m</a> <a href="FORMAT.md">f</a> <a href="../cli/README.md#pdf-files">c</a> <img src="../lab/results/biases/figures/map.svg">'
        script = '<script>`<link href="../static.files/${f}">`</script>'
        (built / "doc/arcfour_stats/index.html").write_text(front + script)
        self.assertEqual(build.build(out, built, PROGRAM), [])
        self.assertEqual((out / "built/report.html").read_text(), "report/index.html")
        self.assertIn('href="python-api/index.html"', (out / "built.html").read_text())
        self.assertEqual((out / "python-api/index.html").read_text(), "reference/python/index.html")
        self.assertEqual((out / "api/arcfour_stats/index.html").read_text(), (
            '<a href="ent/index.html">m</a> <a href="../../stats/FORMAT.html">f</a> <a href="../../cli/README.html#pdf-files">c</a> '
            '<img src="../../lab/results/biases/figures/map.svg">' + script))
        self.assertTrue((out / "lab/results/biases/figures/map.svg").is_file())
        self.assertTrue((out / "bench/speed-light.svg").is_file())
        self.assertIn("arcfour find", (out / "commands.html").read_text())

    def test_a_crates_link_that_leads_nowhere_is_seen(self):
        page = self.folder / "api/arcfour_stats/index.html"
        page.parent.mkdir(parents=True)
        page.write_text('<a href="../no/such.md">x</a>')
        self.assertEqual(build.lead_from_crates(self.folder), ["api/arcfour_stats/index.html: ../no/such.md leads to no file"])


if __name__ == "__main__":
    unittest.main()
