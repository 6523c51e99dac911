//! Expressions on whole numbers, such as `T[T[i]+T[j]]`: C's operators and their order.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};
use core::fmt;

/// The maximum length of an expression, in characters.
pub const MAX_EXPRESSION: usize = 200;
/// The maximum nesting depth of parentheses and brackets.
const MAX_DEPTH: usize = 32;
/// Binary operators, by rising precedence.
const OPERATORS: [&[(&str, Op)]; 6] = [
    &[("|", Op::Or)],
    &[("^", Op::Xor)],
    &[("&", Op::And)],
    &[("<<", Op::Left), (">>", Op::Right)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("%", Op::Rem)],
];

/// A value that an expression reads.
pub trait Scope {
    /// The value of a variable.
    fn variable(&self, name: u8) -> i64;
    /// The entry of a table.
    fn entry(&self, table: u8, index: i64) -> i64;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Number(i64),
    Variable(u8),
    Entry(u8),
    Not,
    Negate,
    Or,
    Xor,
    And,
    Left,
    Right,
    Add,
    Sub,
    Mul,
    Rem,
}

impl Op {
    /// Returns the number of values that it takes from the stack.
    fn operands(self) -> usize {
        match self {
            Self::Number(_) | Self::Variable(_) => 0,
            Self::Entry(_) | Self::Not | Self::Negate => 1,
            _ => 2,
        }
    }
}

/// An expression, in reverse Polish notation, and its text without spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    text: String,
    ops: Vec<Op>,
    /// The maximum depth of the stack.
    deepest: usize,
}

/// Up to this stack depth, evaluation allocates no memory.
const SHALLOW: usize = 8;

impl Expression {
    /// Reads an expression that may use `variables`, and `tables` with an index in brackets.
    pub(super) fn parse(text: &str, variables: &str, tables: &str) -> Result<Self, String> {
        let text: String = text.chars().filter(|char| *char != ' ').collect();
        if text.len() > MAX_EXPRESSION {
            let len = text.len();
            return Err(format!("{len} characters; an expression has at most {MAX_EXPRESSION}"));
        }
        let mut parser = Parser { rest: &text, variables, tables, depth: 0, ops: vec![] };
        parser.level(0)?;
        if !parser.rest.is_empty() {
            return Err(format!("{:?} does not continue the expression", parser.rest));
        }
        let ops = parser.ops;
        let mut depth = 0_usize;
        let mut deepest = 0;
        for op in &ops {
            depth = depth + 1 - op.operands();
            deepest = deepest.max(depth);
        }
        Ok(Self { text, ops, deepest })
    }

    /// Returns the value. Sums and products wrap modulo 2^64, as signed numbers.
    pub(super) fn value(&self, scope: &impl Scope) -> i64 {
        let (mut few, mut many) = ([0; SHALLOW], Vec::new());
        let stack = match self.deepest {
            0..=SHALLOW => &mut few[..],
            deepest => {
                many.resize(deepest, 0);
                &mut many
            }
        };
        let mut depth = 0;
        for op in &self.ops {
            depth -= op.operands();
            let (left, right) = (stack[depth], stack.get(depth + 1).copied().unwrap_or(0));
            stack[depth] = match *op {
                Op::Number(number) => number,
                Op::Variable(name) => scope.variable(name),
                Op::Entry(table) => scope.entry(table, left),
                Op::Not => !left,
                Op::Negate => left.wrapping_neg(),
                Op::Or => left | right,
                Op::Xor => left ^ right,
                Op::And => left & right,
                Op::Left if (0..64).contains(&right) => left << right,
                Op::Right if (0..64).contains(&right) => left >> right,
                Op::Add => left.wrapping_add(right),
                Op::Sub => left.wrapping_sub(right),
                Op::Mul => left.wrapping_mul(right),
                Op::Rem if right != 0 => left.wrapping_rem_euclid(right),
                // Shifts outside 0 to 63 and remainders by 0 give 0.
                Op::Left | Op::Right | Op::Rem => 0,
            };
            depth += 1;
        }
        stack[0]
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

struct Parser<'a> {
    rest: &'a str,
    variables: &'a str,
    tables: &'a str,
    depth: usize,
    ops: Vec<Op>,
}

impl Parser<'_> {
    fn take(&mut self, word: &str) -> bool {
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads an expression of operators with at least precedence `level`.
    fn level(&mut self, level: usize) -> Result<(), String> {
        let Some(operators) = OPERATORS.get(level) else { return self.operand() };
        self.level(level + 1)?;
        while let Some((_, op)) = operators.iter().find(|(word, _)| self.take(word)) {
            self.level(level + 1)?;
            self.ops.push(*op);
        }
        Ok(())
    }

    fn operand(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!(
                "more than {MAX_DEPTH} parentheses, brackets or signs inside each other"
            ));
        }
        let sign =
            [("~", Op::Not), ("-", Op::Negate)].into_iter().find(|(word, _)| self.take(word));
        if let Some((_, op)) = sign {
            self.operand()?;
            self.ops.push(op);
        } else if self.take("(") {
            self.level(0)?;
            self.close(")")?;
        } else {
            self.word()?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn close(&mut self, bracket: &str) -> Result<(), String> {
        if self.take(bracket) {
            return Ok(());
        }
        Err(match self.rest {
            "" => format!("{bracket:?} is missing at the end"),
            rest => format!("{rest:?} where {bracket:?} is expected"),
        })
    }

    fn word(&mut self) -> Result<(), String> {
        let end = self.rest.find(|char: char| !char.is_ascii_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let first = word.bytes().next();
        if let (Some(name), 1) = (first, word.len()) {
            if self.tables.contains(word) {
                self.rest = rest;
                if !self.take("[") {
                    return Err(format!("{word} is a table: it takes an index, as {word}[i]"));
                }
                self.level(0)?;
                self.close("]")?;
                self.ops.push(Op::Entry(name));
                return Ok(());
            }
            if self.variables.contains(word) {
                self.rest = rest;
                self.ops.push(Op::Variable(name));
                return Ok(());
            }
        }
        if first.is_some_and(|byte| byte.is_ascii_digit()) {
            let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
            let number = u32::from_str_radix(digits, radix);
            let number =
                number.map_err(|_| format!("{word:?} is no number of 0 to {}", u32::MAX))?;
            self.rest = rest;
            self.ops.push(Op::Number(number.into()));
            return Ok(());
        }
        let found = match self.rest.is_empty() {
            true => "it ends".to_owned(),
            false => format!("{:?} stands", self.rest),
        };
        let names: Vec<_> = self.variables.chars().map(String::from).collect();
        let tables = self.tables.chars().map(|table| format!("{table}[…]"));
        let names: Vec<_> = names.into_iter().chain(tables).collect();
        Err(format!("{found} where a number or one of {} is expected", names.join(", ")))
    }
}
