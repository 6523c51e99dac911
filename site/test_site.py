"""The links of the sources and of the finished site lead somewhere, and a link that does not is seen."""

import tempfile
import unittest
from pathlib import Path

import build


class Site(unittest.TestCase):
    def test_every_link_of_the_sources_leads_somewhere(self):
        self.assertEqual(build.check(build.sources()), [])

    def test_a_link_that_leads_nowhere_is_seen(self):
        page = "# A page\n\n[file](no/such.md) [heading](cli/README.md#no-such-heading) [above](../elsewhere) [good](cli/README.md) [here](#a-page) [web](https://example.org/x)\n\n"
        raw = '<picture>\n<img src="no/such.svg" alt="">\n</picture>\n'
        faults = build.check({**build.sources(), "README.md": page + raw})
        self.assertEqual([fault for fault in faults if fault.startswith("README.md")], [
            "README.md: no/such.md leads to no file", "README.md: cli/README.md#no-such-heading leads to no heading", "README.md: ../elsewhere leads to no file",
            "README.md: no/such.svg leads to no file"])

    def test_the_site_has_every_page_and_no_dead_link(self):
        with tempfile.TemporaryDirectory() as folder:
            out, built = Path(folder, "site"), Path(folder, "built")
            (built / "report").mkdir(parents=True)
            (built / "report" / "index.html").write_text("<p>the report</p>")
            (built / "doc" / "arcfour").mkdir(parents=True)
            (built / "doc" / "arcfour" / "index.html").write_text("<p>the library</p>")
            (built / "doc" / "arcfour_stats" / "ent").mkdir(parents=True)
            (built / "doc" / "arcfour_stats" / "ent" / "index.html").write_text("<p>a module</p>")
            front = '<a href="ent/index.html">m</a> <a href="FORMAT.md">f</a> <a href="../cli/README.md#pdf-files">c</a> <img src="../lab/results/biases/figures/map.svg">'
            script = '<script>`<link href="../static.files/${f}">`</script>'
            (built / "doc" / "arcfour_stats" / "index.html").write_text(front + script)
            for reference in ("python", "c"):
                (built / "reference" / reference).mkdir(parents=True)
                (built / "reference" / reference / "index.html").write_text("<p>a reference</p>")
            build.build(out, built)
            self.assertEqual(build.dead(out), [])
            self.assertIn('href="./python-api/index.html"', (out / "index.html").read_text())
            self.assertIn('href="../c-api/index.html"', (out / "cli" / "index.html").read_text())
            self.assertIn('href="./report/index.html"', (out / "index.html").read_text())
            self.assertIn('href="../container/index.html"', (out / "cli" / "index.html").read_text())
            self.assertEqual((out / "api" / "arcfour_stats" / "index.html").read_text(), (
                '<a href="ent/index.html">m</a> <a href="../../stats/FORMAT.html">f</a> <a href="../../cli/index.html#pdf-files">c</a> '
                '<img src="../../lab/results/biases/figures/map.svg">' + script))
            for path in build.sources():
                self.assertTrue((out / build.place(path)).is_file(), path)
            (out / "bench" / "speed-light.svg").unlink()
            self.assertNotEqual(build.dead(out), [])


if __name__ == "__main__":
    unittest.main()
