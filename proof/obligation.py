"""A proof obligation: what is assumed, what has to follow, and the solvers that say whether it does."""

import time
from dataclasses import dataclass, field

import bitwuzla
import z3


def all_of(conditions):
    """Their conjunction; solvers differ on one of a single condition."""
    return z3.And(conditions) if len(conditions) > 1 else z3.BoolVal(True) if not conditions else conditions[0]


def any_of(conditions):
    return z3.Or(conditions) if len(conditions) > 1 else z3.BoolVal(False) if not conditions else conditions[0]


@dataclass
class Obligation:
    """One path from a cut point to the next."""

    name: str
    assumed: list
    goals: dict = field(default_factory=dict)  # what has to hold, by what it says
    trace: list = field(default_factory=list)  # addresses of the instructions on the path

    def smt2(self, goals=None):
        """The question in the solvers' common language: can all be assumed and a goal not hold? `unsat` is the proof."""
        solver = z3.Solver()
        solver.add(self.assumed)
        solver.add(z3.Not(all_of(list(self.goals.values()) if goals is None else goals)))
        return solver.to_smt2()

    def cover(self):
        """Can what is assumed be true at all? `sat` is wanted."""
        return self.smt2([z3.BoolVal(False)])

    def failing(self, solver):
        """The goals that do not follow on their own."""
        return [says for says, goal in self.goals.items() if solver(self.smt2([goal])) != "unsat"]

    def counterexample(self, wishes=()):
        """z3's model of a state in which a goal does not hold, and in which as many wishes do as the solver leaves open, or None."""
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
    """The answer and the seconds of processor time."""
    start = time.process_time()
    return solver(text), time.process_time() - start
