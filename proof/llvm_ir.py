"""Runs LLVM's intermediate code on symbols: each value is a bit-vector.

The memory is an array from 64-bit addresses to bytes. clang and rustc compile a file without
optimisation. Each variable of the C text is a variable here, under the same name. A variable whose
address is not used is kept outside the memory. All other variables lie in the region `stack`. The
operations of the portable code are modelled. Any other operation raises NotModelled.
"""

import re
from dataclasses import dataclass, field, replace

import llvmlite.binding as llvm
import z3
from lift import NotModelled
from memory import load, may_be_set, select, store

BINARY = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b,
          "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b, "lshr": z3.LShR, "udiv": z3.UDiv,
          "urem": z3.URem}
COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "ult": z3.ULT, "ule": z3.ULE, "ugt": z3.UGT, "uge": z3.UGE,
               "slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b, "sge": lambda a, b: a >= b}
# A shift by the width of the value or more, and a division by 0, have no meaning.
DEFINED = {"shl": lambda a, b: z3.ULT(b, a.size()), "lshr": lambda a, b: z3.ULT(b, a.size()),
           "udiv": lambda a, b: b != 0, "urem": lambda a, b: b != 0}
# An operation with one of these words has no meaning if its result needs more bits.
NO_WRAP = {("add", "nuw"): lambda a, b: z3.BVAddNoOverflow(a, b, signed=False), ("sub", "nuw"): lambda a, b: z3.ULE(b, a),
           ("add", "nsw"): lambda a, b: z3.And(z3.BVAddNoOverflow(a, b, signed=True), z3.BVAddNoUnderflow(a, b)),
           ("mul", "nuw"): lambda a, b: z3.Extract(2 * a.size() - 1, a.size(), z3.ZeroExt(a.size(), a) * z3.ZeroExt(a.size(), b)) == 0}
STACK = z3.BitVec("stack", 64)
# Assembly that is only a comment: Rust's barrier for the optimiser.
EMPTY_ASM = re.compile(r'asm sideeffect "# \$\{0\}", "r,~\{memory\}"')
PASSED = ("path", "branches", "accesses", "defined", "calls", "kept")  # from a caller to a called function, and back


@dataclass
class State:
    """The place of a path, and the function's values and variables there."""

    place: tuple  # a block and the number of an instruction in the block
    variables: dict
    memory: object
    values: dict = field(default_factory=dict)
    came_from: str = ""
    path: tuple = ()  # the conditions of the branches so far
    branches: tuple = ()
    accesses: tuple = ()
    defined: tuple = ()  # the conditions under which each operation so far has a meaning
    trace: tuple = ()
    calls: tuple = ()  # the calls of functions with a contract
    kept: tuple = ()  # the addresses and sizes of words that no such call writes
    frame: int = 0  # the offset of the function's variables in the region `stack`
    returned: object = None
    panicked: bool = False


class Module:
    """The functions of a compiled file."""

    def __init__(self, text, contracts=()):
        self.contracts = dict(contracts)  # by function: the effect of a call on a state, instead of the instructions
        self.functions = {}
        # A value that is named by a number gets a name that can be looked up.
        self.module = llvm.parse_assembly(re.sub(r"%(\d+)\b", r"%unnamed.\1", text))
        self.module.verify()
        self.layout = llvm.create_target_data(self.module.data_layout)

    def function(self, name):
        if name not in self.functions:
            if self.module.get_function(name).is_declaration:
                raise NotModelled(f"{name} has no text here")
            self.functions[name] = Function(self, self.module.get_function(name))
        return self.functions[name]

    def size(self, kind):
        """Returns the bytes of a type."""
        return self.layout.get_abi_size(kind)

    def constant_bytes(self, name):
        """Returns the bytes of a global constant that is one number."""
        definition = next(str(variable) for variable in self.module.global_variables if variable.name == name)
        number = re.fullmatch(r".* (?:constant|global) (?:%[\w.]+ \{ )?i(\d+) (-?\d+)(?: \})?, align \d+", definition.strip())
        if not number:
            raise NotModelled(f"the constant {definition} is not one number")
        return int(number[2]).to_bytes(int(number[1]) // 8, "little", signed=int(number[2]) < 0)


@dataclass(frozen=True)
class Instruction:
    """The parts of an instruction that the interpreter uses."""

    opcode: str
    result: object
    operands: tuple
    text: str
    kind: object


class Function:
    """One function: its blocks of instructions, and the variables that lie in the memory."""

    def __init__(self, module, function):
        self.module, self.name = module, function.name
        self.arguments = list(function.arguments)
        self.blocks = {block.name: [Instruction(item.opcode, item, tuple(item.operands), str(item).strip(), item.type)
                                    for item in block.instructions] for block in function.blocks}
        self.first = next(iter(self.blocks))
        self.sizes = {item.result.name: self.size_of(re.search(r"alloca ([^,]+),", item.text)[1])
                      for block in self.blocks.values() for item in block if item.opcode == "alloca"}
        self.in_memory, self.frame_size = self.frame()

    def frame(self):
        """Returns the offset of each variable in the memory's frame, and the frame's size."""
        kept = set(self.sizes)
        for block in self.blocks.values():
            for item in block:
                if item.opcode == "call" and item.operands[-1].name.startswith("llvm.lifetime"):
                    continue
                places = {"load": [0], "store": [1]}.get(item.opcode, [])
                for n, operand in enumerate(item.operands):
                    whole = n in places and self.accessed(item) == self.sizes.get(operand.name)
                    if operand.value_kind.name == "instruction" and operand.name in kept and not whole:
                        kept.discard(operand.name)
        places, length = {}, 0
        for name, size in self.sizes.items():
            if name not in kept:
                places[name] = length
                length += -(-size // 16) * 16
        return places, length

    def accessed(self, item):
        """Returns the number of bytes that a load or a store moves."""
        return self.size_of(str(item.kind if item.opcode == "load" else item.operands[0].type))

    def size_of(self, kind):
        """Returns the bytes of a type, by its name."""
        if kind == "ptr":
            return 8
        if number := re.fullmatch(r"i(\d+)", kind):
            return -(-int(number[1]) // 8)
        if array := re.fullmatch(r"\[(\d+) x (.+)\]", kind):
            return int(array[1]) * self.size_of(array[2])
        return self.module.size(self.module.module.get_struct_type(kind.strip('%').strip('"')))

    def after_stores_to(self, variable):
        """Returns the places behind each store to a variable, in the order of the text."""
        return [(name, n + 1) for name, block in self.blocks.items() for n, item in enumerate(block)
                if item.opcode == "store" and item.operands[1].name == variable]

    def called(self, arguments, memory):
        """Returns the state at the function's begin."""
        values = dict(zip(self.arguments, arguments, strict=True))
        return State((self.first, 0), {}, memory, values)

    def paths(self, state, stops):
        """Yields the states at the ends of all paths, at a place of `stops` or at a return."""
        ready, moved = [state], False
        while ready:
            state = ready.pop()
            while True:
                if moved and state.place in stops:
                    yield state
                    break
                moved = True
                following = Step(self, state).run()
                if len(following) == 0 or state.panicked:
                    yield state
                    break
                *others, state = following
                ready += others


class Step:
    """One instruction run on a state."""

    def __init__(self, function, state):
        self.function, self.state = function, state
        block, number = state.place
        self.item = function.blocks[block][number]
        state.trace += (self.item.text,)

    def value(self, operand):
        """Returns an operand's bit-vector."""
        kind = operand.value_kind.name
        if kind == "constant_int":
            return z3.BitVecVal(operand.get_constant_value(), int(str(operand.type)[1:]))
        if kind == "constant_pointer_null":
            return z3.BitVecVal(0, 64)
        if kind == "poison_value":
            return ()
        if kind in ("instruction", "argument"):
            if operand.name in self.function.in_memory:
                return STACK + (self.state.frame + self.function.in_memory[operand.name])
            if operand not in self.state.values:
                raise NotModelled(f"{self.function.name}: {self.item.text} uses a value from before the cut point")
            return self.state.values[operand]
        if kind == "global_variable":
            return operand.name
        if number := re.fullmatch(r"ptr inttoptr \(i64 (\d+) to ptr\)", str(operand)):
            return z3.BitVecVal(int(number[1]), 64)
        raise NotModelled(f"{self.function.name}: the operand {operand} of {self.item.text}")

    def run(self):
        """Returns the next states: none after a return, two after a branch on data."""
        operate = getattr(self, self.item.opcode, None)
        if self.item.opcode in BINARY:
            operate = self.binary
        if operate is None:
            raise NotModelled(f"{self.function.name}: {self.item.text}")
        following = operate()
        if following is None:
            block, number = self.state.place
            self.state.place = (block, number + 1)
            following = [self.state]
        return following

    def give(self, value):
        self.state.values[self.item.result] = z3.simplify(value)

    def binary(self):
        one, other = map(self.value, self.item.operands)
        if self.item.opcode in DEFINED:
            self.state.defined += (DEFINED[self.item.opcode](one, other),)
        for word in re.findall(r"\b(?:nuw|nsw)\b", self.item.text):
            if (self.item.opcode, word) in NO_WRAP:
                self.state.defined += (NO_WRAP[self.item.opcode, word](one, other),)
        self.give(BINARY[self.item.opcode](one, other))

    def alloca(self):
        pass

    def bitcast(self):
        self.give(self.value(self.item.operands[0]))

    ptrtoint = inttoptr = bitcast

    def select(self):
        condition, one, other = map(self.value, self.item.operands)
        self.give(z3.If(condition == 1, one, other))

    def insertvalue(self):
        whole, part = map(self.value, self.item.operands)
        self.state.values[self.item.result] = (*whole, part)

    def extractvalue(self):
        number = int(self.item.text.split(",")[-1])
        self.state.values[self.item.result] = self.value(self.item.operands[0])[number]

    def load(self):
        place = self.item.operands[0]
        if place.name in self.function.sizes and place.name not in self.function.in_memory:
            self.state.values[self.item.result] = self.state.variables[place.name]
            return
        address, size = self.value(place), self.function.accessed(self.item)
        if isinstance(address, str):
            self.give(z3.BitVecVal(int.from_bytes(self.function.module.constant_bytes(address), "little"), 8 * size))
            return
        self.state.accesses += (("load", address, size),)
        self.give(load(self.state.memory, address, size))

    def store(self):
        value, place = self.value(self.item.operands[0]), self.item.operands[1]
        if place.name in self.function.sizes and place.name not in self.function.in_memory:
            self.state.variables = self.state.variables | {place.name: value}
            return
        address = self.value(place)
        self.state.accesses += (("store", address, value.size() // 8),)
        self.state.memory = store(self.state.memory, address, value)

    def getelementptr(self):
        base, *indexes = self.item.operands
        kind = re.search(r"getelementptr (?:inbounds )?(?:nuw )?(.+?), ptr ", self.item.text)[1]
        address = self.value(base)
        for n, index in enumerate(map(self.value, indexes)):
            wide = index if index.size() == 64 else z3.SignExt(64 - index.size(), index)
            if n == 0:
                address = address + wide * self.function.size_of(kind)
            elif array := re.fullmatch(r"\[(\d+) x (.+)\]", kind):
                kind = array[2]
                address = address + wide * self.function.size_of(kind)
            else:
                struct, number = self.function.module.module.get_struct_type(kind.strip("%")), z3.simplify(index).as_long()
                address = address + self.function.module.layout.get_element_offset(struct, number)
                kind = str(list(struct.elements)[number])
        self.give(address)

    def zext(self):
        value = self.value(self.item.operands[0])
        self.give(z3.ZeroExt(int(str(self.item.kind)[1:]) - value.size(), value))

    def sext(self):
        value = self.value(self.item.operands[0])
        more = int(str(self.item.kind)[1:]) - value.size()
        positive = not may_be_set(value) >> value.size() - 1
        self.give(z3.ZeroExt(more, value) if positive else z3.SignExt(more, value))

    def trunc(self):
        self.give(z3.Extract(int(str(self.item.kind)[1:]) - 1, 0, self.value(self.item.operands[0])))

    def icmp(self):
        one, other = map(self.value, self.item.operands)
        condition = COMPARISONS[re.search(r"icmp (\w+) ", self.item.text)[1]](one, other)
        self.give(z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)))

    def phi(self):
        sources = re.findall(r"\[ ([^,]+), %([\w.]+) \]", self.item.text)
        number = [block for _, block in sources].index(self.state.came_from)
        self.give(self.value(self.item.operands[number]))

    def br(self):
        block, _ = self.state.place
        if len(self.item.operands) == 1:
            return [self.to(self.item.operands[0].name, block)]
        condition = z3.simplify(self.value(self.item.operands[0]) == 1)
        no, yes = (operand.name for operand in self.item.operands[1:])
        if z3.is_true(condition) or z3.is_false(condition):
            return [self.to(yes if z3.is_true(condition) else no, block)]
        return [self.to(no, block, z3.Not(condition), False), self.to(yes, block, condition, True)]

    def to(self, target, block, condition=None, taken=None):
        state = replace(self.state, place=(target, 0), came_from=block, values=dict(self.state.values))
        if condition is not None:
            state.path += (condition,)
            state.branches += (taken,)
        return state

    def ret(self):
        self.state.returned = self.value(self.item.operands[0]) if self.item.operands else True
        return []

    def invoke(self):
        """Runs a call. A panic ends the path, so no path goes to the second target."""
        *arguments, normal, _, callee = self.item.operands
        block, _ = self.state.place
        ends = self.call(arguments, callee)
        return [end if end.panicked else replace(end, place=(normal.name, 0), came_from=block)
                for end in ([self.state] if ends is None else ends)]

    def call(self, arguments=None, callee=None):
        if callee is None:
            *arguments, callee = self.item.operands
        name = callee.name
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            return self.copy(*arguments[:3])
        if name.startswith("llvm.lifetime"):
            return None
        if callee.value_kind.name == "inline_asm" and EMPTY_ASM.search(self.item.text):
            return None
        if "9panicking" in name or name.endswith("13unwrap_failed"):
            self.state.panicked = True
            return [self.state]
        given = [self.value(argument) for argument in arguments]
        if name.startswith("llvm.expect"):
            return self.give(given[0])
        if name.startswith("llvm.uadd.sat"):
            one, other = given
            return self.give(z3.If(z3.BVAddNoOverflow(one, other, signed=False), one + other, z3.BitVecVal(-1, one.size())))
        if name == "llvm.assume":
            self.state.defined += (given[0] == 1,)
            return None
        if name in self.function.module.contracts:
            returned = self.function.module.contracts[name](self.state, *given)
            return None if returned is None else self.give(returned)
        if name.startswith("llvm.memset"):
            return self.fill(*given[:3])
        inner = self.function.module.function(name)
        started = replace(inner.called(given, self.state.memory), frame=self.state.frame + self.function.frame_size,
                          **{name: getattr(self.state, name) for name in PASSED})
        block, number = self.state.place
        following = []
        for ended in inner.paths(started, set()):
            values = self.state.values if ended.returned is True else self.state.values | {self.item.result: ended.returned}
            following.append(replace(self.state, place=(block, number + 1), values=values, panicked=ended.panicked,
                                     memory=ended.memory, **{name: getattr(ended, name) for name in PASSED}))
        return following

    def fill(self, to, byte, length):
        """Runs memset with a known number of bytes."""
        size = z3.simplify(length).as_long()
        self.state.accesses += (("store", to, size),)
        for n in range(size):
            self.state.memory = store(self.state.memory, to + n, byte)

    def copy(self, to, source, length):
        """Runs memcpy with a known number of bytes."""
        size = self.value(length).as_long()
        target = self.value(to)
        if source.value_kind.name == "global_variable":
            data = [z3.BitVecVal(byte, 8) for byte in self.function.module.constant_bytes(source.name)]
        else:
            address = self.value(source)
            self.state.accesses += (("load", address, size),)
            data = [select(self.state.memory, address + n) for n in range(size)]
        self.state.accesses += (("store", target, size),)
        for n, byte in enumerate(data):
            self.state.memory = store(self.state.memory, target + n, byte)
