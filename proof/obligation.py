"""A proof obligation: assumptions, goals, and the solvers that check the goals."""

import time
from dataclasses import dataclass, field

import bitwuzla
import z3


def all_of(conditions):
    """Returns the conjunction.

    A single condition stays as it is, since solvers differ on `And` with one part.
    """
    return z3.And(conditions) if len(conditions) > 1 else z3.BoolVal(True) if not conditions else conditions[0]


def any_of(conditions):
    return z3.Or(conditions) if len(conditions) > 1 else z3.BoolVal(False) if not conditions else conditions[0]


@dataclass
class Obligation:
    """One path from a cut point to the next."""

    name: str
    assumed: list
    goals: dict = field(default_factory=dict)  # the claims, by their texts
    trace: list = field(default_factory=list)  # addresses of the instructions on the path

    def smt2(self, goals=None):
        """Returns the SMT-LIB question whether a goal can fail: `unsat` is the proof."""
        solver = z3.Solver()
        solver.add(self.assumed)
        solver.add(z3.Not(all_of(list(self.goals.values()) if goals is None else goals)))
        return solver.to_smt2()

    def cover(self):
        """Returns the question whether the assumptions can be true. The answer must be `sat`."""
        return self.smt2([z3.BoolVal(False)])

    def failing(self, solver):
        """Returns the texts of the goals that fail, each asked alone."""
        return [says for says, goal in self.goals.items() if solver(self.smt2([goal])) != "unsat"]

    def counterexample(self, wishes=()):
        """Returns z3's model of a state in which a goal fails, or None.

        Drops only the wishes that contradict it.
        """
        solver = z3.Solver()
        solver.add(self.assumed)
        solver.add(z3.Not(all_of(list(self.goals.values()))))
        wishes = {f"wish {n}": wish for n, wish in enumerate(wishes)}
        for name, wish in wishes.items():
            solver.add(z3.Implies(z3.Bool(name), wish))
        while solver.check(*map(z3.Bool, wishes)) != z3.sat:
            core = [str(name) for name in solver.unsat_core()]
            if not core:
                return None
            for name in core:
                del wishes[name]
        return solver.model()


def ask_bitwuzla(text):
    options = bitwuzla.Options()
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    parser.parse(text.replace("(check-sat)", ""), True, False)
    return str(parser.bitwuzla().check_sat()).rpartition(".")[2].lower()


def ask_z3(text):
    solver = z3.SolverFor("QF_ABV")
    solver.from_string(text)
    return str(solver.check())


SOLVERS = {"bitwuzla": ask_bitwuzla, "z3": ask_z3}


def timed(solver, text):
    """Returns the answer and the processor time in seconds."""
    start = time.process_time()
    return solver(text), time.process_time() - start
