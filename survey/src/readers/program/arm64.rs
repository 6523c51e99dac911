//! Runs instructions of AArch64 on symbolic values.

use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand, ShiftStyle, SizeCode};

use super::{
    symbolic::{Machine, Value},
    walk::{Flow, Hints, Processor, Step},
};

/// The decoder of one section's code.
pub(super) struct Arm64<'code> {
    code: &'code [u8],
    offset: usize,
    address: u64,
    instruction: Instruction,
}

impl<'code> Arm64<'code> {
    pub(super) fn new(code: &'code [u8]) -> Self {
        Self { code, offset: 0, address: 0, instruction: Instruction::default() }
    }
}

impl Processor for Arm64<'_> {
    fn seek(&mut self, offset: usize, address: u64) -> bool {
        self.offset = offset;
        self.address = address;
        self.code.len().saturating_sub(offset) >= 4
    }

    fn step(&mut self) -> Option<Step> {
        let word = self.code.get(self.offset..self.offset.checked_add(4)?)?;
        let address = self.address;
        self.offset += 4;
        self.address = address.wrapping_add(4);
        let decoded = InstDecoder::default().decode(&mut U8Reader::new(word));
        let (flow, hints) = match decoded {
            Ok(instruction) => {
                self.instruction = instruction;
                (flow(&instruction, address), hints(&instruction))
            }
            Err(_) => (Flow::Stop, Hints::default()),
        };
        Some(Step { address, len: 4, flow, hints })
    }

    fn run(&mut self, machine: &mut Machine) {
        run(&self.instruction, self.address.wrapping_sub(4), machine);
    }

    fn enter(&self, _: &mut Machine) {}

    fn leave(&self, _: &mut Machine) {}

    fn skip_call(&self, machine: &mut Machine) {
        for at in 0..19 {
            machine.forget(at); // registers that a call may change, by the procedure call standard
        }
    }
}

fn flow(one: &Instruction, address: u64) -> Flow {
    let target = one.operands.iter().find_map(|operand| match operand {
        Operand::PCOffset(by) => Some(address.wrapping_add_signed(*by)),
        _ => None,
    });
    match (one.opcode, target) {
        (Opcode::B, Some(target)) => Flow::Jump(target),
        (Opcode::BL, Some(target)) => Flow::Call(target),
        (
            Opcode::Bcc(_) | Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ,
            Some(target),
        ) => Flow::Branch(target),
        (Opcode::BLR, _) => Flow::Away,
        (Opcode::RET, _) => Flow::Return,
        (Opcode::BR | Opcode::UDF | Opcode::Invalid | Opcode::BRK, _) => Flow::Stop,
        _ => Flow::On,
    }
}

fn hints(one: &Instruction) -> Hints {
    let mut hints = Hints::default();
    match one.opcode {
        Opcode::STRB | Opcode::STURB => hints.byte_stores = 1,
        Opcode::STR | Opcode::STUR
            if register(one.operands[0]).is_some_and(|(size, _)| size == SizeCode::W) =>
        {
            let frame = matches!(one.operands[1], Operand::RegPreIndex(29 | 31, _, _));
            hints.cell_stores = u32::from(!frame);
        }
        Opcode::LDRB | Opcode::LDURB | Opcode::AND | Opcode::UBFM => hints.masks = 1,
        Opcode::BL | Opcode::BLR => hints.calls = 1,
        _ => {}
    }
    hints
}

/// Returns the size and number of a register other than the zero register.
fn register(operand: Operand) -> Option<(SizeCode, usize)> {
    match operand {
        Operand::Register(size, at) if at < 31 => Some((size, usize::from(at))),
        Operand::RegisterOrSP(size, at) => Some((size, usize::from(at))),
        _ => None,
    }
}

fn read(operand: Operand, machine: &mut Machine) -> Value {
    match operand {
        Operand::Register(_, 31) => machine.constant(0),
        Operand::Register(_, at) | Operand::RegisterOrSP(_, at) => {
            machine.register(usize::from(at))
        }
        Operand::Immediate(number) => machine.constant(i64::from(number)),
        Operand::Imm64(number) => machine.constant(number as i64),
        Operand::Imm16(number) => machine.constant(i64::from(number)),
        Operand::ImmShift(number, by @ 0..48) => machine.constant(i64::from(number) << by),
        Operand::RegShift(style, by, _, at) => shifted(style, by, at, machine),
        _ => machine.unknown(),
    }
}

fn shifted(style: ShiftStyle, by: u8, at: u16, machine: &mut Machine) -> Value {
    let value = if at == 31 { machine.constant(0) } else { machine.register(usize::from(at)) };
    let value = match style {
        ShiftStyle::UXTB => machine.byte(value),
        ShiftStyle::LSL
        | ShiftStyle::UXTW
        | ShiftStyle::UXTX
        | ShiftStyle::SXTW
        | ShiftStyle::SXTX => value,
        _ if by == 0 => value,
        _ => return machine.unknown(),
    };
    if by == 0 { value } else { machine.scale(value, 1 << by.min(32)) }
}

fn write(operand: Operand, value: Value, machine: &mut Machine) {
    if let Some((_, at)) = register(operand) {
        machine.set(at, value);
    }
}

/// Returns the address of an operand in memory, and writes the base back if the instruction does.
fn address(operand: Operand, machine: &mut Machine) -> Value {
    match operand {
        Operand::RegPreIndex(base, by, back) => {
            let by = machine.constant(i64::from(by));
            let sum = machine.add(machine.register(usize::from(base)), by);
            if back {
                machine.set(usize::from(base), sum);
            }
            sum
        }
        Operand::RegPostIndex(base, by) => {
            let at = machine.register(usize::from(base));
            let by = machine.constant(i64::from(by));
            let sum = machine.add(at, by);
            machine.set(usize::from(base), sum);
            at
        }
        Operand::RegRegOffset(base, index, _, style, by) => {
            let index = shifted(style, by, index, machine);
            machine.add(machine.register(usize::from(base)), index)
        }
        _ => machine.unknown(),
    }
}

fn width(one: &Instruction) -> u8 {
    match one.opcode {
        Opcode::LDRB | Opcode::LDURB | Opcode::STRB | Opcode::STURB => 1,
        Opcode::LDRH | Opcode::STRH | Opcode::STURH => 2,
        Opcode::LDRSW | Opcode::LDURSW => 4,
        _ if matches!(one.operands[0], Operand::Register(SizeCode::W, _)) => 4,
        _ => 8,
    }
}

fn run(one: &Instruction, at: u64, machine: &mut Machine) {
    let [first, second, third, fourth] = one.operands;
    match one.opcode {
        Opcode::LDR
        | Opcode::LDRB
        | Opcode::LDRH
        | Opcode::LDRSW
        | Opcode::LDUR
        | Opcode::LDURB
        | Opcode::LDURSW
            if register(first).is_some() =>
        {
            let address = address(second, machine);
            let value = machine.load(address, width(one));
            write(first, value, machine);
        }
        Opcode::STR
        | Opcode::STRB
        | Opcode::STRH
        | Opcode::STUR
        | Opcode::STURB
        | Opcode::STURH
            if matches!(first, Operand::Register(..)) =>
        {
            let value = read(first, machine);
            let address = address(second, machine);
            machine.store(address, value, width(one));
        }
        Opcode::LDP | Opcode::STP if matches!(first, Operand::Register(..)) => {
            let (start, width) = (address(third, machine), width(one));
            let by = machine.constant(i64::from(width));
            for (operand, address) in [(first, start), (second, machine.add(start, by))] {
                if one.opcode == Opcode::LDP {
                    let value = machine.load(address, width);
                    write(operand, value, machine);
                } else {
                    let value = read(operand, machine);
                    machine.store(address, value, width);
                }
            }
        }
        Opcode::MOVZ => {
            let value = read(second, machine);
            write(first, value, machine);
        }
        Opcode::ADR | Opcode::ADRP => {
            let Operand::PCOffset(by) = second else { return };
            let page = if one.opcode == Opcode::ADRP { at & !0xfff } else { at };
            let value = machine.constant(page.wrapping_add_signed(by) as i64);
            write(first, value, machine);
        }
        Opcode::ADD
        | Opcode::ADDS
        | Opcode::SUB
        | Opcode::SUBS
        | Opcode::EOR
        | Opcode::AND
        | Opcode::ANDS
        | Opcode::ORR => {
            let (left, right) = (read(second, machine), read(third, machine));
            let value = match one.opcode {
                Opcode::ADD | Opcode::ADDS => machine.add(left, right),
                Opcode::SUB | Opcode::SUBS => machine.subtract(left, right),
                Opcode::EOR => machine.xor(left, right),
                Opcode::ORR if machine.number(left) == Some(0) => right,
                Opcode::ORR if machine.number(right) == Some(0) => left,
                Opcode::AND | Opcode::ANDS => machine.and(left, right),
                _ => machine.unknown(),
            };
            write(first, value, machine);
        }
        Opcode::UBFM | Opcode::SBFM => {
            let value = read(second, machine);
            let bits = if matches!(first, Operand::Register(SizeCode::W, _)) { 32 } else { 64 };
            let value = match (third, fourth) {
                (Operand::Immediate(0), Operand::Immediate(7)) if one.opcode == Opcode::UBFM => {
                    machine.byte(value)
                }
                (Operand::Immediate(0), Operand::Immediate(last)) if last >= 15 => value,
                (Operand::Immediate(turn), Operand::Immediate(last))
                    if turn == last + 1 && turn < bits =>
                {
                    machine.scale(value, 1 << (bits - turn).min(32))
                }
                // A few low bits shifted left are the index of a wider cell.
                (Operand::Immediate(turn), Operand::Immediate(last))
                    if turn > last && turn < bits =>
                {
                    let value = if last == 7 && one.opcode == Opcode::UBFM {
                        machine.byte(value)
                    } else {
                        value
                    };
                    if last >= 7 {
                        machine.scale(value, 1 << (bits - turn).min(32))
                    } else {
                        machine.unknown()
                    }
                }
                _ => machine.unknown(),
            };
            write(first, value, machine);
        }
        // The branch for negative numbers is not taken.
        Opcode::CSNEG | Opcode::CSEL => {
            let value = read(second, machine);
            write(first, value, machine);
        }
        Opcode::STLR | Opcode::STXR | Opcode::PRFM => {}
        Opcode::CBZ | Opcode::CBNZ | Opcode::TBZ | Opcode::TBNZ => {}
        _ => {
            let value = machine.unknown();
            write(first, value, machine);
        }
    }
}
