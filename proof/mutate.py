"""Mutation testing: the proof refutes each mutant, or the mutant is equivalent for a known reason.

A mutant replaces an instruction by `nop`, or changes one bit of an instruction. The result must be
another instruction of the same length: another register, displacement, number, condition or
operation. All instructions on the paths of a proof are mutated, and a sample of their bits.
"""

import argparse
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import prove
import records
from lift import NotModelled
from obligation import ask_bitwuzla
from pypcode import BadDataError, UnimplError

HERE = prove.HERE
SCORE, SURVIVORS = HERE / "mutations.csv", HERE / "survivors.csv"
NOPS = {"x86:LE:64:default": b"\x90", "AARCH64:LE:64:v8A": bytes.fromhex("1f2003d5")}


@dataclass
class Mutant:
    offset: int
    was: str
    now: str
    code: object
    sections: list  # the sections of the proof that run the instruction

    def skipped(self, start, end):
        """Returns true if the processor finds only `nop` from one address to another.

        The first may lie inside a longer `nop`.
        """
        found = self.code.context.disassemble(self.code.at(start, end - start), start).instructions if start < end else []
        return {item.mnem for item in found} == {"NOP"}


def text(instruction):
    return f"{instruction.mnem} {instruction.body}".strip()


def mutants(prover, count, seed):
    """Returns a mutant without each instruction, and `count` mutants with a changed bit."""
    code = prover.code
    run_by = {}
    for n, section in enumerate(prover.sections()):
        for obligation in section():
            for address in obligation.trace:
                run_by.setdefault(address, set()).add(n)
    flips, found = [], []
    for item in code.instructions():
        address, length = item.addr.offset, item.length
        if address not in run_by or item.mnem == "NOP":
            continue
        nop = NOPS[code.language]
        found.append(Mutant(address - code.base, text(item), "left out", code.patched(address, nop * (length // len(nop))),
                            sorted(run_by[address])))
        flips += [(item, bit) for bit in range(8 * length)]
    random.Random(seed).shuffle(flips)
    for item, bit in flips:
        if count == 0:
            break
        address = item.addr.offset
        new = bytearray(code.at(address, item.length))
        new[bit // 8] ^= 1 << bit % 8
        patched = code.patched(address, bytes(new))
        try:
            now = code.context.disassemble(patched.at(address), address, max_instructions=1).instructions[0]
        except (BadDataError, UnimplError):  # not an instruction
            continue
        if now.length == item.length and text(now) != text(item):
            found.append(Mutant(address - code.base, text(item), text(now), patched, sorted(run_by[address])))
            count -= 1
    return found


def verdict(prover, mutant):
    """Returns `refuted`, `stopped` (code not modelled) or `survived`, and the obligation or the reason."""
    sections = prover.patched(mutant.code).sections()
    try:
        for n in mutant.sections:
            for obligation in sections[n]():
                if ask_bitwuzla(obligation.smt2()) != "unsat":
                    return "refuted", obligation.name
    except NotModelled as reason:
        return "stopped", str(reason)
    return "survived", why(mutant)


def why(mutant):
    """Returns the reason why a mutant is equivalent, or an empty text."""
    was, now = mutant.was.split(), mutant.now.split()
    if was[0] == "CMOVC" and (was[1].startswith("R12") or was[1] in ("RAX,RBP", "RAX,R14")):
        if mutant.now != "left out" and now[1].split(",")[0] != was[1].split(",")[0]:
            return "an address dependency, which changes only the speed; the other register is loaded next"
        return "an address dependency: the register already has this value, so only the speed changes"
    if was[0] == "PXOR" and was[1].rstrip(",") == was[2] and ("x86_64::lanes" in mutant.code.name or mutant.code.name.endswith("five_x86")):
        if mutant.now == "left out" or now[1:2] == was[1:2]:
            return "all 16 bytes of the register are replaced: clearing it changes only the speed"
        return "all 16 bytes of the register are replaced, and the other register before it is read"
    if {was[0], now[0]} <= {"PXOR", "POR", "PADDB", "PADDW", "PADDD", "PADDQ"} and now[1:] == was[1:]:
        return "the two banks have no lane in common, so their sum, their or and their xor are equal"
    if was[0] == now[0] and was[0].startswith(("MOV", "CMOV")) and mutant.now == re.sub(r"\b(R\d+)D\b", r"\1", mutant.was):
        return "a write of 32 bits clears the upper 32 bits too"
    if was[0] == "LEA" and was[1].startswith("EDX"):
        return "only the low byte of the distance is used"
    if was[0] == now[0] == "PINSRB" and was[1:-1] == now[1:-1] and (int(was[-1], 16) - int(now[-1], 16)) % 16 == 0:
        return "the processor takes a lane's number modulo 16"
    if was == ["CMP", "DL,0x1"] and now == ["SUB", "DL,0x1"]:
        return "this is the last comparison of the distance, so its value may change"
    if (was[0], now[0]) in (("CMOVA", "CMOVG"), ("CMOVC", "CMOVL")) and was[1:] == now[1:]:
        return "the distance is 0, 1 or 2 there, which signed and unsigned numbers order alike"
    if was[0] == "MOVZX" and was[1] in ("EAX,byte", "EDX,byte") and was[3] in ("[RCX]", "[RBX]", "[RSI]", "[RDI]", "[R8]") \
            and now[0] in ("MOVZX", "MOVSX") and now[2:] == was[2:]:
        return "only the low byte of S[j] is used"
    if was[0] == now[0] == "ADD" and was[1].replace("AL,", "CL,") == now[1]:
        return "j is the same sum, in either order of its two parts"
    if was[0] == now[0] == "CMP" and was[1:] == [f"{now[1].split(',')[1]},{now[1].split(',')[0]}"]:
        return "only equality is tested, and equality is symmetric"
    if was[0] == now[0] == "MOV" and mutant.was.replace("D,", "B,")[:-1] + "B" == mutant.now:
        return "a byte moves between registers whose upper bits are zero"
    if was[0] == now[0] == "INC" and f"{now[1]}D" == was[1]:
        return "only the low byte of the index is used"
    if (mutant.was, mutant.now) == ("ADD RBP,RBX", "ADD RBP,RDI") and mutant.offset < 0x40:
        return "at the entry both registers hold the address of the state"
    if was[0] == now[0] == "MOVZX" and mutant.now == mutant.was.replace("R15", "RDI") and mutant.offset < 0x40:
        return "at the entry both registers hold the address of the state"
    if was[0] == "ADD" and now == ["ADC", was[1]] and mutant.offset < 0x40:
        return "at the entry the sum before it is an address, which has no carry"
    if was[0] == now[0] == "ADD" and mutant.was.startswith("ADD AL,") and mutant.now == f"ADD EAX,{was[1][3:-1]}D":
        return "only the low byte of the sum is used"
    if was[0] == "ADD" and now == ["OR", was[1]] and (mutant.offset < 0x40 or was[1] == "RBP,R15"):
        return "at the entry the sum is of an index and an address that is a multiple of 256"
    if (mutant.was, mutant.now) == ("MOV R13,R15", "OR R13,R15") and mutant.offset < 0x40:
        return "only the low byte is used, and R15's is 255 at the entry"
    if (mutant.was, mutant.now) == ("LEA R15,[RAX + -0x1]", "LEA R15,[RCX + -0x1]") and mutant.offset < 0x40:
        return "at the entry both registers hold the address of the state"
    if was[0] == "MOVZX" and was[1] == "EAX,byte" and was[3] == "[RSI" and now[0] in ("MOVZX", "MOVSX") and now[2:] == was[2:]:
        return "only the low byte of the key's byte is used"
    if was[0] == now[0] and was[0] in ("JC", "JNZ") and mutant.skipped(int(now[1], 16), int(was[1], 16)):
        return "only instructions without effect lie between the two targets"
    return why_aarch64(mutant)


def why_aarch64(mutant):
    """Does the same for AArch64, where bytes and indexes are in 32-bit registers."""
    if mutant.now in (f"{mutant.was}, UXTB", re.sub(r"x(\d+), LSL", r"w\1, UXTW", mutant.was)):
        return "the widened value is already below 256"
    if mutant.now in (f"{mutant.was}, ASR #0x0", f"{mutant.was}, LSR #0x0"):
        return "a shift by 0"
    if mutant.now == mutant.was.replace("b.", "bc.", 1):
        return "the same branch, with a hint"
    if mutant.now == mutant.was.replace("tst ", "ands w15, ", 1):
        return "the distance is overwritten next"
    if mutant.was[:4] in ("add ", "sub ") and mutant.now == f"{mutant.was[:3]}s{mutant.was[3:]}":
        return "the flags are set anew before they are read"
    if mutant.was[:4] == "add " and mutant.now == mutant.was.replace("w", "x"):
        return "only the low byte of j is used"
    if mutant.was == "tst w15, #0xfc" and mutant.now == "tst w15, #0xc":
        return "more values take the slow path, which reloads correct bytes"
    if (numbers := re.fullmatch(r"sub (w\d+), \1, #(0x\w+)\|sub \1, \1, #(0x\w+)", f"{mutant.was}|{mutant.now}")):
        was, now = (int(number, 16) for number in numbers.groups()[1:])
        if (was - now) % 256 == 0:
            return "only the low byte of the distance is used"
        if was - now == 1:
            return "the check covers four values, and the three that matter are among them"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--elf", action="append", required=True, type=Path)
    parser.add_argument("--count", type=int, default=400, help="changed bits for each kernel: %(default)s")
    parser.add_argument("--sample", type=int, help="try this number of a kernel's mutants, drawn by the seed; default: all")
    parser.add_argument("--seed", type=int, default=46)
    parser.add_argument("--record", action="store_true", help=f"write these kernels' rows of {SCORE.name} and {SURVIVORS.name}")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    given = parser.parse_args()
    scores, survivors = [], []
    held = prove.kernels(*given.elf)
    chosen = given.kernels or held
    for kernel in chosen:
        prover = prove.proof(held[kernel], kernel)
        tally = dict.fromkeys(("refuted", "stopped", "survived"), 0)
        made = mutants(prover, given.count, given.seed)
        # Each kernel's sample is drawn anew, so that it does not depend on the other kernels of the command.
        tried = random.Random(given.seed).sample(made, min(given.sample or len(made), len(made)))
        for mutant in tried:
            answer, reason = verdict(prover, mutant)
            tally[answer] += 1
            if answer == "survived":
                survivors.append([kernel, f"{mutant.offset:#06x}", mutant.was, mutant.now, reason])
        scores.append([kernel, len(made), len(tried), *tally.values()])
        print(kernel, len(tried), tally, flush=True)
    unexplained = [row for row in survivors if not row[-1]]
    print(*(",".join(row) for row in unexplained), f"{len(unexplained)} mutants survived without a known reason", sep="\n")
    if given.record:
        records.put(SCORE, ["kernel", "mutants", "tried", "refuted", "stopped", "survived"], scores, prove.KERNELS)
        records.put(SURVIVORS, ["kernel", "offset", "was", "is", "why"], survivors, prove.KERNELS, chosen)
    return bool(unexplained)


if __name__ == "__main__":
    sys.exit(main())
