//! Runs instructions of x86, 32 and 64 bits, on symbolic values.

use iced_x86::{
    Code, Decoder, DecoderOptions, FlowControl, Instruction, MemorySize, Mnemonic, OpKind, Register,
};

use super::{
    symbolic::{Machine, Value},
    walk::{Flow, Hints, Processor, Step},
};

/// The decoder of one section's code.
pub(super) struct X86<'code> {
    decoder: Decoder<'code>,
    instruction: Instruction,
    /// Number of bytes by which a call moves the stack.
    word: i64,
}

const STACK: usize = 4;
const FRAME: usize = 5;

impl<'code> X86<'code> {
    pub(super) fn new(bits: u32, code: &'code [u8], address: u64) -> Self {
        let decoder = Decoder::with_ip(bits, code, address, DecoderOptions::NONE);
        Self { decoder, instruction: Instruction::default(), word: i64::from(bits / 8) }
    }
}

impl Processor for X86<'_> {
    fn seek(&mut self, offset: usize, address: u64) -> bool {
        self.decoder.set_ip(address);
        self.decoder.set_position(offset).is_ok() && self.decoder.can_decode()
    }

    fn step(&mut self) -> Option<Step> {
        if !self.decoder.can_decode() {
            return None;
        }
        self.decoder.decode_out(&mut self.instruction);
        let one = &self.instruction;
        Some(Step { address: one.ip(), len: one.len(), flow: flow(one), hints: hints(one) })
    }

    fn run(&mut self, machine: &mut Machine) {
        run(&self.instruction, machine);
    }

    fn enter(&self, machine: &mut Machine) {
        move_stack(machine, -self.word);
    }

    fn leave(&self, machine: &mut Machine) {
        move_stack(machine, self.word);
    }

    fn skip_call(&self, machine: &mut Machine) {
        for at in [0, 1, 2, 6, 7, 8, 9, 10, 11] {
            machine.forget(at); // registers that a call may change, by the convention of System V
        }
    }
}

fn move_stack(machine: &mut Machine, by: i64) {
    let by = machine.constant(by);
    let top = machine.add(machine.register(STACK), by);
    machine.set(STACK, top);
}

fn flow(one: &Instruction) -> Flow {
    let near = matches!(
        one.op0_kind(),
        OpKind::NearBranch64 | OpKind::NearBranch32 | OpKind::NearBranch16
    );
    match one.mnemonic() {
        Mnemonic::Ret => Flow::Return,
        Mnemonic::Call if near => Flow::Call(one.near_branch_target()),
        Mnemonic::Call => Flow::Away,
        Mnemonic::Jmp if near => Flow::Jump(one.near_branch_target()),
        Mnemonic::Jmp | Mnemonic::Hlt | Mnemonic::Ud2 | Mnemonic::INVALID => Flow::Stop,
        // An index is never negative; compilers guard a remainder against negative numbers.
        Mnemonic::Jns if one.near_branch_target() > one.ip() => {
            Flow::Jump(one.near_branch_target())
        }
        _ if matches!(one.flow_control(), FlowControl::ConditionalBranch) => {
            Flow::Branch(one.near_branch_target())
        }
        _ => Flow::On,
    }
}

fn hints(one: &Instruction) -> Hints {
    let mut hints = Hints::default();
    if one.mnemonic() == Mnemonic::Call {
        hints.calls = 1;
        return hints;
    }
    if one.op_count() < 1 || matches!(one.mnemonic(), Mnemonic::Lea | Mnemonic::Nop) {
        return hints;
    }
    let stores = one.op0_kind() == OpKind::Memory
        && !matches!(one.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
    let width = width(one.memory_size());
    if stores && one.op_count() > 1 && one.op1_kind() == OpKind::Register {
        if width == 1 {
            hints.byte_stores = 1;
        } else if width == 4
            && (one.memory_index() != Register::None || !is_frame(one.memory_base()))
        {
            hints.cell_stores = 1;
        }
    }
    hints.masks = match one.mnemonic() {
        Mnemonic::Movzx if one.op1_kind() == OpKind::Register || width == 1 => 1,
        Mnemonic::And => 1,
        _ => u32::from(one.op0_kind() == OpKind::Register && one.op0_register().size() == 1),
    };
    hints
}

fn is_frame(register: Register) -> bool {
    matches!(place(register), Some(STACK | FRAME))
}

fn width(size: MemorySize) -> u8 {
    u8::try_from(size.size()).unwrap_or(0)
}

/// Returns the slot of a register. Parts of a register share its slot.
fn place(register: Register) -> Option<usize> {
    let full = register.full_register();
    full.is_gpr64().then(|| full.number())
}

fn address(one: &Instruction, machine: &mut Machine) -> Value {
    if matches!(one.memory_segment(), Register::FS | Register::GS) {
        return machine.unknown();
    }
    let mut sum = machine.constant(one.memory_displacement64() as i64);
    if one.is_ip_rel_memory_operand() {
        return sum;
    }
    if one.memory_displ_size() == 4 {
        sum = machine.constant(i64::from(one.memory_displacement64() as i32));
    }
    for (register, scale) in
        [(one.memory_base(), 1), (one.memory_index(), i64::from(one.memory_index_scale()))]
    {
        if register == Register::None {
            continue;
        }
        let value = match place(register) {
            Some(at) => machine.register(at),
            None => machine.unknown(),
        };
        let value = machine.scale(value, scale);
        sum = machine.add(sum, value);
    }
    sum
}

fn read(one: &Instruction, operand: u32, machine: &mut Machine) -> Value {
    match one.op_kind(operand) {
        OpKind::Register => {
            let register = one.op_register(operand);
            let high =
                matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
            match place(register) {
                Some(at) if !high => {
                    let value = machine.register(at);
                    if register.size() == 1 { machine.byte(value) } else { value }
                }
                _ => machine.unknown(),
            }
        }
        OpKind::Memory => {
            let address = address(one, machine);
            machine.load(address, width(one.memory_size()))
        }
        OpKind::Immediate8 | OpKind::Immediate16 | OpKind::Immediate32 => {
            machine.constant(i64::from(one.immediate(operand) as i32))
        }
        OpKind::Immediate64
        | OpKind::Immediate8to16
        | OpKind::Immediate8to32
        | OpKind::Immediate8to64
        | OpKind::Immediate32to64 => machine.constant(one.immediate(operand) as i64),
        _ => machine.unknown(),
    }
}

fn write(one: &Instruction, operand: u32, value: Value, machine: &mut Machine) {
    match one.op_kind(operand) {
        OpKind::Register => {
            let register = one.op_register(operand);
            if let Some(at) = place(register) {
                let high =
                    matches!(register, Register::AH | Register::BH | Register::CH | Register::DH);
                let value = if high {
                    machine.unknown()
                } else if register.size() == 1 {
                    machine.byte(value)
                } else {
                    value
                };
                machine.set(at, value);
            }
        }
        OpKind::Memory => {
            let address = address(one, machine);
            machine.store(address, value, width(one.memory_size()));
        }
        _ => {}
    }
}

fn run(one: &Instruction, machine: &mut Machine) {
    match one.mnemonic() {
        Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd => {
            let value = read(one, 1, machine);
            write(one, 0, value, machine);
        }
        Mnemonic::Lea => {
            let value = address(one, machine);
            write(one, 0, value, machine);
        }
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::Xor | Mnemonic::And | Mnemonic::Adc => {
            let (left, right) = (read(one, 0, machine), read(one, 1, machine));
            let value = match one.mnemonic() {
                Mnemonic::Add | Mnemonic::Adc => machine.add(left, right),
                Mnemonic::Sub => machine.subtract(left, right),
                Mnemonic::Xor => machine.xor(left, right),
                _ => machine.and(left, right),
            };
            write(one, 0, value, machine);
        }
        Mnemonic::Inc | Mnemonic::Dec => {
            let value = read(one, 0, machine);
            let by = machine.constant(if one.mnemonic() == Mnemonic::Inc { 1 } else { -1 });
            let value = machine.add(value, by);
            write(one, 0, value, machine);
        }
        Mnemonic::Neg => {
            let value = read(one, 0, machine);
            let value = machine.scale(value, -1);
            write(one, 0, value, machine);
        }
        Mnemonic::Shl | Mnemonic::Sar | Mnemonic::Shr | Mnemonic::Imul if one.op_count() == 2 => {
            let (value, by) = (read(one, 0, machine), read(one, 1, machine));
            let value = match (one.mnemonic(), machine.number(by), machine.number(value)) {
                (Mnemonic::Shl, Some(by @ 0..=16), _) => machine.scale(value, 1 << by),
                (Mnemonic::Imul, Some(by), _) => machine.scale(value, by),
                // The sign of a number that is not negative.
                (Mnemonic::Sar, Some(31 | 63), _)
                | (Mnemonic::Sar | Mnemonic::Shr, Some(_), Some(0)) => machine.constant(0),
                _ => machine.unknown(),
            };
            write(one, 0, value, machine);
        }
        Mnemonic::Cdq | Mnemonic::Cqo => {
            let sign = machine.constant(0);
            machine.set(2, sign);
        }
        Mnemonic::Cdqe | Mnemonic::Cwde | Mnemonic::Cbw => {}
        Mnemonic::Xchg => {
            let (left, right) = (read(one, 0, machine), read(one, 1, machine));
            write(one, 0, right, machine);
            write(one, 1, left, machine);
        }
        Mnemonic::Push => {
            let value = read(one, 0, machine);
            let width = if one.stack_pointer_increment() == -4 { 4 } else { 8 };
            move_stack(machine, -i64::from(width));
            machine.store(machine.register(STACK), value, width);
        }
        Mnemonic::Pop => {
            let width = if one.stack_pointer_increment() == 4 { 4 } else { 8 };
            let value = machine.load(machine.register(STACK), width);
            move_stack(machine, i64::from(width));
            write(one, 0, value, machine);
        }
        Mnemonic::Leave => {
            let word = if one.code() == Code::Leaved { 4 } else { 8 };
            let frame = machine.register(FRAME);
            machine.set(STACK, frame);
            let value = machine.load(frame, word);
            machine.set(FRAME, value);
            move_stack(machine, i64::from(word));
        }
        Mnemonic::Cmovns | Mnemonic::Cmovge => {
            let value = read(one, 1, machine);
            write(one, 0, value, machine);
        }
        Mnemonic::Cmovs | Mnemonic::Cmovl => {}
        Mnemonic::Div | Mnemonic::Idiv | Mnemonic::Mul | Mnemonic::Cpuid | Mnemonic::Imul
            if one.op_count() < 2 =>
        {
            machine.forget(0);
            machine.forget(2);
        }
        Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Nop | Mnemonic::Endbr64 => {}
        _ if one.op_count() == 0 || one.code() == Code::INVALID => {}
        _ => {
            let value = machine.unknown();
            write(one, 0, value, machine);
        }
    }
}
