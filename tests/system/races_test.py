#!/usr/bin/python3
"""Checkers across chips: each program is right, or lacks one thing that orders two chips.

    races_test.py --ptosim BIN
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import programs  # noqa: E402


class Races(programs.Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add_ranks(1, PTOSIM_SYSTEM="host910b", PTOSIM_CHECK="all", PTOSIM_JSON="result.json")
        cls.compile("races.cpp", "-ldl", "-lhccl")

    def findings(self, ranks, *words):
        """The findings of all ranks, each with the number of its rank."""
        for old in self.folder.glob("result.*"):
            old.unlink()
        ran = subprocess.run(["mpirun", "-n", str(ranks), "./races", *words], capture_output=True, text=True, timeout=120,
                             cwd=self.folder, env=self.environment, check=False)
        found = [(rank, finding) for rank in range(ranks)
                 for finding in json.loads((self.folder / f"result.chip{rank}.json").read_text())["diagnostics"]]
        self.assertEqual(ran.returncode != 0, bool(found), ran.stdout + ran.stderr)
        return found

    def assert_right(self, ranks, *words):
        self.assertEqual(self.findings(ranks, *words), [])

    def assert_finding(self, ranks, words, code, owner, says, lines=()):
        found = self.findings(ranks, *words)
        self.assertEqual([(rank, finding["code"]) for rank, finding in found], [(owner, code)], found)
        finding = found[0][1]
        self.assertRegex(finding["message"], says)
        places = [finding, *finding["related"]]
        for mark, place in zip(lines, places):
            self.assertEqual((pathlib.Path(place["location"]["file"]).name, place["location"]["line"]), ("races.cpp", programs.line_of("races.cpp", mark)))
        for place in places:
            self.assertRegex(place["core"], r"^chip \d AIV\d\d$")
            self.assertLess(place["bytes"][0], place["bytes"][1])
        self.assertEqual(self.findings(ranks, *words), found)  # byte for byte
        return finding

    def test_rows_that_are_handed_over(self):
        for rounds in ("1", "3"):
            self.assert_right(2, "hand_over", "nothing", rounds)

    def test_a_read_that_does_not_wait(self):
        self.assert_finding(2, ["hand_over", "wait"], "G15", 1, "^(RAW|WAR) race in the window of chip 1 between chips")

    def test_a_signal_that_overtakes_its_data(self):
        finding = self.assert_finding(2, ["hand_over", "barrier"], "G15", 1,
                                      "^RAW race in the window of chip 1 between chips 0 and 1: TLOAD 'src' reads what "
                                      "TSTORE 'dst' at .*races.cpp", ["load row", "store row"])
        self.assertRegex(finding["hint"], "let chip 0 wait for its pipe MTE3")

    def test_a_write_that_does_not_wait_for_the_reader(self):
        self.assert_finding(2, ["hand_over", "answer", "2"], "G15", 1, "^WAR race in the window of chip 1",
                            ["store row", "load row"])

    def test_a_row_of_another_chip(self):
        self.assert_right(2, "get")
        self.assert_finding(2, ["get", "wait"], "G15", 1, "^(RAW|WAR) race in the window of chip 1")

    def test_copies_by_a_host(self):
        self.assert_right(2, "host")
        for left_out in ("first meeting", "second meeting"):
            found = self.findings(2, "host", left_out)
            self.assertEqual([(rank, finding["code"]) for rank, finding in found], [(1, "G15")], found)
            self.assertRegex(found[0][1]["message"], "^(RAW|WAR) race in the window of chip 1 between chips . and .: .*a "
                                                     "copy by the host.*and no meeting of the hosts orders them$")
            self.assertIn("let the hosts meet", found[0][1]["hint"])
            self.assertEqual(self.findings(2, "host", left_out), found)

    def test_two_writers(self):
        self.assert_right(3, "crowd", "nothing", "1")
        self.assert_finding(3, ["crowd", "nothing", "0"], "G15", 0,
                            "^WAW race in the window of chip 0 between chips (1 and 2|2 and 1)",
                            ["store into the crowd", "store into the crowd"])

    def test_words_in_one_line(self):
        """hw-native-sys/pto-isa issue 322."""
        self.assert_right(3, "slots", "nothing", "16")
        self.assert_finding(3, ["slots", "nothing", "1"], "E18", 0, "^a line of 64 bytes in the window of chip 0")

    def test_launches_of_an_earlier_group_order_nothing(self):
        self.assert_right(3, "slots", "first group", "16")
        self.assert_finding(3, ["slots", "first group", "1"], "E18", 0, "^a line of 64 bytes in the window of chip 0")

    def test_a_signal_that_changes_nothing(self):
        """hw-native-sys/pypto pull request 1829."""
        self.assert_right(2, "again", "nothing", "1")
        self.assert_finding(2, ["again", "nothing", "0"], "E32", 1, "^a signal of chip 0 sets a word of chip 1 to 1",
                            ["set again", "set again"])

    def test_a_word_that_is_cleared_late(self):
        self.assert_right(2, "cleared")
        self.assert_finding(2, ["cleared", "answer"], "E32", 1, "^two stores of chips", ["set", "clear"])

    def test_launches_that_hosts_order(self):
        self.assert_right(2, "launches")
        self.assert_right(2, "hand_over", "next launch", "2")
        self.assert_finding(2, ["launches", "meeting"], "G15", 1, "^(RAW|WAR) race in the window of chip 1")

    def test_codes_are_explained(self):
        for code in ("G15", "E32"):
            shown = subprocess.run([self.ptosim, "isa", code], capture_output=True, text=True, check=True).stdout
            self.assertTrue(re.search(r"chips", shown), shown)


if __name__ == "__main__":
    programs.main()
