//! A symbolic machine that runs straight-line code, and detects when two cells of a table change
//! places.
//!
//! Values are sums of unknowns. Two simplifications make the result independent of the compiler:
//! sums do not overflow beyond a byte, and addresses that are written differently do not overlap.
//! Both can be wrong in a real run. A swap whose index depends on the swapped values is detected
//! nevertheless.

use foldhash::fast::FixedState;

type HashMap<Key, Of> = std::collections::HashMap<Key, Of, FixedState>;

/// A value of the machine: an index of a node. Equal values have equal indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Value(u32);

/// A value that is not a sum of other values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Unknown,
    Load {
        address: Value,
        width: u8,
    },
    /// A sum modulo 256.
    Byte(Value),
    Sum(Sum),
    Xor(Vec<Value>),
}

/// Terms with their factors in ascending order, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Sum {
    terms: Vec<(Value, i64)>,
    constant: i64,
}

/// Maximum number of terms, more than any address or index of RC4 needs. A longer sum becomes an
/// unknown.
const MOST_TERMS: usize = 8;

/// Two cells that changed places. The second cell's address depends on the first cell's content.
#[derive(Clone, Copy, Debug)]
struct Swap {
    first: Value,
    second: Value,
    /// The sum modulo 256 that is the index of the second cell.
    index: Value,
    width: u8,
}

/// The part of RC4 to which a swap belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// `j += S[i] + a byte of the key`; `S[i]` and `S[j]` change places.
    Schedule,
    /// `j += S[i]`; `S[i]` and `S[j]` change places; `S[S[i] + S[j]]` is looked up.
    Keystream,
}

impl Part {
    /// Returns its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Schedule => "key schedule",
            Self::Keystream => "keystream",
        }
    }
}

/// The maximum number of registers of any processor, and a few for other state.
pub(super) const REGISTERS: usize = 40;

/// Registers, memory and all values so far.
pub(super) struct Machine {
    nodes: Vec<Node>,
    places: HashMap<Node, Value>,
    registers: [Value; REGISTERS],
    memory: HashMap<Value, (Value, u8)>,
    /// Cells that received the content of another cell: to, from, width.
    moves: HashMap<(Value, Value), u8>,
    swaps: Vec<Swap>,
}

impl Machine {
    pub(super) fn new() -> Self {
        let mut machine = Self {
            nodes: Vec::new(),
            places: HashMap::default(),
            registers: [Value(0); REGISTERS],
            memory: HashMap::default(),
            moves: HashMap::default(),
            swaps: Vec::new(),
        };
        for at in 0..REGISTERS {
            machine.registers[at] = machine.unknown();
        }
        machine
    }

    /// Forgets everything but registers with a number that is kept.
    pub(super) fn restart(&mut self, kept: impl Fn(i64) -> bool) {
        let numbers = self.registers.map(|value| self.number(value).filter(|number| kept(*number)));
        *self = Self::new();
        for (at, number) in numbers.into_iter().enumerate() {
            if let Some(number) = number {
                let value = self.constant(number);
                self.set(at, value);
            }
        }
    }

    pub(super) fn register(&self, at: usize) -> Value {
        self.registers[at]
    }

    pub(super) fn set(&mut self, at: usize, value: Value) {
        self.registers[at] = value;
    }

    pub(super) fn forget(&mut self, at: usize) {
        self.registers[at] = self.unknown();
    }

    pub(super) fn unknown(&mut self) -> Value {
        let place = Value(self.nodes.len() as u32);
        self.nodes.push(Node::Unknown);
        place
    }

    pub(super) fn constant(&mut self, constant: i64) -> Value {
        self.place(Node::Sum(Sum { terms: Vec::new(), constant }))
    }

    /// Returns the number of a constant value.
    pub(super) fn number(&self, value: Value) -> Option<i64> {
        match &self.nodes[value.0 as usize] {
            Node::Sum(sum) if sum.terms.is_empty() => Some(sum.constant),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, left: Value, right: Value) -> Value {
        self.combine(left, right, 1)
    }

    pub(super) fn subtract(&mut self, left: Value, right: Value) -> Value {
        self.combine(left, right, -1)
    }

    /// Multiplies a value by a number.
    pub(super) fn scale(&mut self, value: Value, factor: i64) -> Value {
        let zero = self.constant(0);
        self.combine(zero, value, factor)
    }

    pub(super) fn xor(&mut self, left: Value, right: Value) -> Value {
        match (self.number(left), self.number(right)) {
            (Some(0), _) => return right,
            (_, Some(0)) => return left,
            _ => {}
        }
        let mut parts: Vec<Value> = Vec::new();
        for side in [left, right] {
            let of_side = match &self.nodes[side.0 as usize] {
                Node::Xor(parts) => parts.clone(),
                _ => vec![side],
            };
            for part in of_side {
                match parts.iter().position(|other| *other == part) {
                    Some(at) => drop(parts.remove(at)),
                    None => parts.push(part),
                }
            }
        }
        match parts[..] {
            [] => self.constant(0),
            [part] => part,
            _ if parts.len() > MOST_TERMS => self.unknown(),
            _ => {
                parts.sort();
                self.place(Node::Xor(parts))
            }
        }
    }

    /// Applies a mask to a value, if it is one of RC4's masks: the low byte, or all but the low
    /// byte.
    pub(super) fn and(&mut self, left: Value, right: Value) -> Value {
        let (value, mask) = match (self.number(left), self.number(right)) {
            (_, Some(mask)) => (left, mask),
            (Some(mask), _) => (right, mask),
            _ => return self.unknown(),
        };
        match mask as u32 {
            0xff | 0x8000_00ff => self.byte(value),
            0xffff_ff00 => {
                let low = self.byte(value);
                self.subtract(value, low)
            }
            0xffff_ffff | 0x7fff_ffff => value,
            _ => self.unknown(),
        }
    }

    /// Reduces a value modulo 256. Terms of a sum that are reduced already need no second
    /// reduction.
    pub(super) fn byte(&mut self, value: Value) -> Value {
        let node = &self.nodes[value.0 as usize];
        if matches!(node, Node::Byte(_) | Node::Load { width: 1, .. } | Node::Xor(_)) {
            return value;
        }
        let mut inner = Sum::default();
        let outer = self.sum(value);
        inner.constant = outer.constant;
        for (term, factor) in outer.terms {
            match self.nodes[term.0 as usize] {
                Node::Byte(sum) => {
                    let sum = self.sum(sum);
                    inner.constant = inner.constant.wrapping_add(sum.constant.wrapping_mul(factor));
                    for (term, inside) in sum.terms {
                        inner.push(term, inside.wrapping_mul(factor));
                    }
                }
                _ => inner.push(term, factor),
            }
        }
        inner.constant = inner.constant.rem_euclid(256);
        for (_, factor) in &mut inner.terms {
            *factor = factor.rem_euclid(256);
        }
        inner.terms.retain(|(_, factor)| *factor != 0);
        if inner.terms.len() > MOST_TERMS {
            return self.unknown();
        }
        if inner.terms.is_empty() {
            return self.constant(inner.constant);
        }
        if let (&[(term, 1)], 0) = (&inner.terms[..], inner.constant)
            && matches!(self.nodes[term.0 as usize], Node::Load { width: 1, .. })
        {
            return term;
        }
        let sum = self.of_sum(inner);
        self.place(Node::Byte(sum))
    }

    /// Loads from an address: the stored value, or an unknown that is the same at every load.
    pub(super) fn load(&mut self, address: Value, width: u8) -> Value {
        match self.memory.get(&address) {
            Some(&(value, of)) if width == of => value,
            Some(&(value, of)) if width == 1 && of > 1 => self.byte(value),
            Some(_) => self.unknown(),
            None => self.place(Node::Load { address, width }),
        }
    }

    pub(super) fn store(&mut self, address: Value, value: Value, width: u8) {
        let value = if width == 1 { self.byte(value) } else { value };
        self.memory.insert(address, (value, width));
        let Node::Load { address: from, width: of } = self.nodes[value.0 as usize] else { return };
        if from == address || (of != width && !(width > 1 && of > 1)) {
            return;
        }
        self.moves.insert((address, from), width);
        if self.moves.contains_key(&(from, address)) {
            self.swapped(address, from, width);
            self.swapped(from, address, width);
        }
    }

    /// Records a swap if the second cell's index is a sum modulo 256 with the first cell as a term.
    fn swapped(&mut self, first: Value, second: Value, width: u8) {
        let content = self.place(Node::Load { address: first, width });
        for (term, factor) in self.sum(second).terms {
            let Node::Byte(index) = self.nodes[term.0 as usize] else { continue };
            let sum = self.sum(index);
            if factor == i64::from(width) && sum.terms.contains(&(content, 1)) {
                self.swaps.push(Swap { first, second, index, width });
            }
        }
    }

    /// Returns the part of RC4 to which the swaps belong.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for swap in &self.swaps {
            let width = swap.width;
            let content = |address| self.places.get(&Node::Load { address, width });
            let (Some(first), Some(second)) = (content(swap.first), content(swap.second)) else {
                continue;
            };
            let other = |term: &&(Value, i64)| {
                term.0 != *first
                    && term.1 == 1
                    && matches!(self.nodes[term.0.0 as usize], Node::Load { .. })
            };
            let index = self.sum(swap.index);
            // A counter that the compiler keeps in memory is also a load, so the key is a further
            // load.
            let looked_up = self.nodes.iter().any(|node| {
                let Node::Load { address, .. } = node else { return false };
                self.sum(*address).terms.iter().any(|(term, factor)| {
                    let Node::Byte(sum) = self.nodes[term.0 as usize] else { return false };
                    let sum = self.sum(sum);
                    let has = |value| sum.terms.contains(&(value, 1));
                    *factor == i64::from(width)
                        && sum.terms.len() == 2
                        && has(*first)
                        && has(*second)
                })
            });
            if looked_up {
                parts.push(Part::Keystream);
            } else if index.terms.len() > 2 && index.terms.iter().any(|term| other(&term)) {
                parts.push(Part::Schedule);
            }
        }
        parts.sort();
        parts.dedup();
        parts
    }

    fn combine(&mut self, left: Value, right: Value, factor: i64) -> Value {
        let mut sum = self.sum(left);
        let other = self.sum(right);
        sum.constant = sum.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for (term, inside) in other.terms {
            sum.push(term, inside.wrapping_mul(factor));
        }
        if sum.terms.len() > MOST_TERMS { self.unknown() } else { self.of_sum(sum) }
    }

    fn sum(&self, value: Value) -> Sum {
        match &self.nodes[value.0 as usize] {
            Node::Sum(sum) => sum.clone(),
            _ => Sum { terms: vec![(value, 1)], constant: 0 },
        }
    }

    fn of_sum(&mut self, sum: Sum) -> Value {
        match (&sum.terms[..], sum.constant) {
            (&[(term, 1)], 0) => term,
            _ => self.place(Node::Sum(sum)),
        }
    }

    fn place(&mut self, node: Node) -> Value {
        if let Some(place) = self.places.get(&node) {
            return *place;
        }
        let place = Value(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.places.insert(node, place);
        place
    }
}

impl Sum {
    fn push(&mut self, term: Value, factor: i64) {
        match self.terms.binary_search_by_key(&term, |(term, _)| *term) {
            Ok(at) => {
                self.terms[at].1 = self.terms[at].1.wrapping_add(factor);
                if self.terms[at].1 == 0 {
                    self.terms.remove(at);
                }
            }
            Err(at) if factor != 0 => self.terms.insert(at, (term, factor)),
            Err(_) => {}
        }
    }
}
