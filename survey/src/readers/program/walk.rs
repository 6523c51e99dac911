//! Scans code once, and runs each possible loop of RC4 on the symbolic machine.

use std::collections::VecDeque;

use super::symbolic::{Machine, Part};

/// A decoder for one processor's instructions.
pub(super) trait Processor {
    /// Moves to an offset in the code with a given address. Returns false if there is no code.
    fn seek(&mut self, offset: usize, address: u64) -> bool;
    /// Decodes the next instruction.
    fn step(&mut self) -> Option<Step>;
    /// Runs the instruction that was decoded last.
    fn run(&mut self, machine: &mut Machine);
    /// Applies the effect of a call before the first instruction of the callee.
    fn enter(&self, machine: &mut Machine);
    /// Applies the effect of a return.
    fn leave(&self, machine: &mut Machine);
    /// Applies the effect of a call to unknown code.
    fn skip_call(&self, machine: &mut Machine);
}

/// One instruction.
pub(super) struct Step {
    pub(super) address: u64,
    pub(super) len: usize,
    pub(super) flow: Flow,
    pub(super) hints: Hints,
}

/// The next place of execution.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    On,
    Jump(u64),
    Branch(u64),
    Call(u64),
    /// A call to code outside the section.
    Away,
    Return,
    Stop,
}

/// Numbers of instructions of each sort, for a cheap test that a loop is not RC4's.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Hints {
    pub(super) byte_stores: u32,
    pub(super) cell_stores: u32,
    pub(super) masks: u32,
    pub(super) calls: u32,
}

impl Hints {
    fn plus(self, other: Self) -> Self {
        Self {
            byte_stores: self.byte_stores.wrapping_add(other.byte_stores),
            cell_stores: self.cell_stores.wrapping_add(other.cell_stores),
            masks: self.masks.wrapping_add(other.masks),
            calls: self.calls.wrapping_add(other.calls),
        }
    }

    fn since(self, start: Self) -> Self {
        Self {
            byte_stores: self.byte_stores.wrapping_sub(start.byte_stores),
            cell_stores: self.cell_stores.wrapping_sub(start.cell_stores),
            masks: self.masks.wrapping_sub(start.masks),
            calls: self.calls.wrapping_sub(start.calls),
        }
    }

    /// Returns true if the instructions may contain a swap of a table's cells, in the code or in
    /// its callees.
    fn may_swap(self, len: usize) -> bool {
        self.byte_stores >= 2
            || (self.cell_stores >= 2 && self.masks >= 1)
            || (self.calls >= 1 && self.masks >= 1 && len <= LONGEST_CALLING)
    }
}

/// A part of RC4 and the address of its loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The start of the code.
    pub address: u64,
    /// The part of RC4.
    pub part: Part,
}

/// The maximum length of a loop, in instructions. RC4 unrolled 32 times is shorter.
const LONGEST: usize = 600;
/// The maximum length of a loop that calls a function for its swap, as in unoptimised code.
const LONGEST_CALLING: usize = 100;
/// Number of instructions run for one loop: two rounds with their calls.
const MOST_STEPS: usize = 1600;
/// Maximum depth of followed calls.
const DEEPEST: usize = 4;
/// Maximum number of instructions run for each byte of code, which bounds the cost of crafted code.
const STEPS_A_BYTE: usize = 24;
/// Number of instructions between two questions whether the survey was stopped.
const BETWEEN_STOPS: usize = 1 << 12;
/// Number of instructions before a loop that are searched for its masks.
const AHEAD: usize = 24;
/// Number of instructions run before the second of two stores outside any loop.
const STRAIGHT: usize = 60;

/// Returns all parts of RC4 in the code of one section, and true if all code was examined. Ends soon
/// after `stopped` is true.
pub(super) fn walk(
    processor: &mut impl Processor,
    code: &[u8],
    base: u64,
    stopped: &dyn Fn() -> bool,
) -> (Vec<Seen>, bool) {
    let mut seen: Vec<Seen> = Vec::new();
    let mut before: VecDeque<(u64, Hints)> = VecDeque::with_capacity(LONGEST + 1);
    let mut total = Hints::default();
    let mut left = code.len().saturating_mul(STEPS_A_BYTE).saturating_add(100_000);
    let mut offset = 0;
    let mut tried = 0;
    let mut decoded = 0_usize;
    while offset < code.len() && processor.seek(offset, base.wrapping_add(offset as u64)) {
        let Some(step) = processor.step() else { break };
        if decoded.is_multiple_of(BETWEEN_STOPS) && stopped() {
            return (seen, false);
        }
        decoded += 1;
        offset += step.len.max(1);
        let start = total;
        total = total.plus(step.hints);
        if before.len() == LONGEST {
            before.pop_front();
        }
        before.push_back((step.address, start));
        let window = match step.flow {
            Flow::Jump(to) | Flow::Branch(to) if to < step.address => {
                let at = before.partition_point(|(address, _)| *address < to);
                let ahead =
                    before.get(at.saturating_sub(AHEAD)).map_or(to, |(address, _)| *address);
                let start = before.get(at).filter(|(address, _)| *address == to);
                start.map(|(_, start)| (ahead, to, step.address, *start, 2, before.len() - at))
            }
            Flow::Return => {
                let at = before.len().saturating_sub(STRAIGHT);
                let at = before
                    .iter()
                    .rposition(|(address, _)| *address <= tried)
                    .map_or(at, |after| at.max(after + 1));
                before
                    .get(at)
                    .map(|(address, start)| (*address, *address, step.address, *start, 1, STRAIGHT))
            }
            _ => None,
        };
        let Some((ahead, from, to, start, rounds, len)) = window else { continue };
        let hints = total.since(start);
        if rounds == 1 && hints.byte_stores < 2 && hints.cell_stores < 2 {
            continue;
        }
        if !hints.may_swap(len) {
            continue;
        }
        tried = to;
        if left == 0 {
            return (seen, false);
        }
        let mut machine = Machine::new();
        masks(processor, base, (ahead, from), &mut machine);
        for part in trial(processor, code.len(), base, (from, to), rounds, &mut left, machine) {
            seen.push(Seen { address: from, part });
        }
    }
    seen.sort();
    seen.dedup();
    (seen, true)
}

/// Runs the code before a loop, and keeps the registers that hold the mask of a byte.
fn masks(
    processor: &mut impl Processor,
    base: u64,
    (ahead, from): (u64, u64),
    machine: &mut Machine,
) {
    let mut at = ahead;
    while at < from && processor.seek(at.wrapping_sub(base) as usize, at) {
        let Some(step) = processor.step() else { break };
        if matches!(step.flow, Flow::On) {
            processor.run(machine);
        }
        at = at.wrapping_add(step.len.max(1) as u64);
    }
    machine.restart(|number| number == 0xff);
}

/// Runs a loop between two addresses.
fn trial(
    processor: &mut impl Processor,
    len: usize,
    base: u64,
    (from, to): (u64, u64),
    rounds: usize,
    left: &mut usize,
    mut machine: Machine,
) -> Vec<Part> {
    let mut calls: Vec<u64> = Vec::new();
    let inside = |address: u64| {
        address.checked_sub(base).and_then(|at| usize::try_from(at).ok()).filter(|at| *at < len)
    };
    for _ in 0..rounds {
        let mut at = from;
        let mut steps = 0;
        calls.clear();
        while steps < MOST_STEPS / rounds && *left > 0 {
            let Some(offset) = inside(at) else { break };
            if !processor.seek(offset, at) {
                break;
            }
            let Some(step) = processor.step() else { break };
            steps += 1;
            *left -= 1;
            let next = at.wrapping_add(step.len as u64);
            let ended = calls.is_empty() && at >= to;
            at = match step.flow {
                Flow::Stop => break,
                _ if ended => break,
                Flow::On => {
                    processor.run(&mut machine);
                    next
                }
                Flow::Jump(target) if calls.is_empty() && !(from..=to).contains(&target) => next,
                Flow::Jump(target) if target > at => target,
                Flow::Jump(_) | Flow::Branch(_) => next,
                Flow::Call(target) if calls.len() < DEEPEST && inside(target).is_some() => {
                    processor.enter(&mut machine);
                    calls.push(next);
                    target
                }
                Flow::Call(_) | Flow::Away => {
                    processor.skip_call(&mut machine);
                    next
                }
                Flow::Return => match calls.pop() {
                    Some(back) => {
                        processor.leave(&mut machine);
                        back
                    }
                    None => break,
                },
            };
        }
    }
    machine.parts()
}
