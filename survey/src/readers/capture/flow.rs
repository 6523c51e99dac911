//! Reassembles TCP: the first bytes of each direction, in order.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use etherparse::TcpSlice;

/// Number of bytes kept of each direction. Negotiations come first.
const KEPT: usize = 64 << 10;
/// Limits for all open streams: bytes kept, and number of streams. Beyond them all streams are
/// examined and dropped.
const ALL: usize = 256 << 20;
const OPEN: usize = 200_000;

/// The kept part of a TCP connection.
pub(super) struct Stream {
    /// The side that opened it.
    pub(super) client: SocketAddr,
    /// The other side.
    pub(super) server: SocketAddr,
    /// The client's bytes.
    pub(super) asked: Side,
    /// The server's bytes.
    pub(super) answered: Side,
}

/// One direction of a connection.
#[derive(Default)]
pub(super) struct Side {
    /// The first bytes, without a gap.
    pub(super) bytes: Vec<u8>,
    /// The number of the first byte.
    base: Option<u32>,
    /// The start of each packet in the bytes, and the packet's number.
    frames: Vec<(usize, u64)>,
    /// Packets that arrived early, by their start.
    early: BTreeMap<usize, (u64, Vec<u8>)>,
    early_bytes: usize,
    ended: bool,
}

impl Side {
    /// Returns the packet that contained the byte at `offset`.
    pub(super) fn frame(&self, offset: usize) -> u64 {
        let after = self.frames.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map_or(0, |n| self.frames[n].1)
    }

    /// Adds the data of a packet. Returns the growth of memory in bytes.
    fn take(&mut self, frame: u64, sequence: u32, data: &[u8]) -> usize {
        let base = *self.base.get_or_insert(sequence);
        let before = self.bytes.len() + self.early_bytes;
        // Data before the base belong to an old connection, and give a large number here.
        let at = sequence.wrapping_sub(base) as usize;
        if data.is_empty() || at >= KEPT {
            return 0;
        }
        if at > self.bytes.len() {
            if self.early_bytes + data.len() <= KEPT && !self.early.contains_key(&at) {
                self.early_bytes += data.len();
                self.early.insert(at, (frame, data.to_vec()));
            }
        } else {
            self.append(frame, at, data);
            while let Some(first) =
                self.early.first_entry().filter(|first| *first.key() <= self.bytes.len())
            {
                let (at, (frame, data)) = first.remove_entry();
                self.early_bytes -= data.len();
                self.append(frame, at, &data);
            }
        }
        (self.bytes.len() + self.early_bytes).saturating_sub(before)
    }

    fn append(&mut self, frame: u64, at: usize, data: &[u8]) {
        let Some(new) = data.get(self.bytes.len() - at..).filter(|new| !new.is_empty()) else {
            return;
        };
        let room = KEPT - self.bytes.len();
        self.frames.push((self.bytes.len(), frame));
        self.bytes.extend_from_slice(&new[..new.len().min(room)]);
    }
}

/// The ends of a connection, the smaller address first.
type Ends = (SocketAddr, SocketAddr);

/// An open connection. The first side has the smaller address.
#[derive(Default)]
struct Open {
    sides: [Side; 2],
    /// The side that opened the connection, if the capture shows it.
    client: Option<usize>,
}

/// All open connections.
#[derive(Default)]
pub(super) struct Flows {
    open: HashMap<Ends, Open>,
    bytes: usize,
}

impl Flows {
    /// Adds a packet. Calls `done` with a connection that the packet ends.
    pub(super) fn segment(
        &mut self,
        frame: u64,
        (from, to): (IpAddr, IpAddr),
        tcp: &TcpSlice<'_>,
        mut done: impl FnMut(Stream),
    ) {
        let from = SocketAddr::new(from, tcp.source_port());
        let to = SocketAddr::new(to, tcp.destination_port());
        let (ends, sender) = if from <= to { ((from, to), 0) } else { ((to, from), 1) };
        let sequence = tcp.sequence_number();
        if tcp.syn() {
            let used = self.open.get(&ends).is_some_and(|open| {
                let side = &open.sides[sender];
                !side.bytes.is_empty() && side.base != Some(sequence.wrapping_add(1))
            });
            if used {
                self.close(ends, &mut done);
            }
        } else if !self.open.contains_key(&ends) && (tcp.payload().is_empty() || tcp.rst()) {
            return;
        }
        let open = self.open.entry(ends).or_default();
        let side = &mut open.sides[sender];
        if tcp.syn() {
            side.base = Some(sequence.wrapping_add(1));
            open.client.get_or_insert(if tcp.ack() { 1 - sender } else { sender });
        } else {
            self.bytes += side.take(frame, sequence, tcp.payload());
        }
        side.ended |= tcp.fin();
        let ended = open.sides.iter().all(|side| side.ended);
        if tcp.rst() || ended {
            self.close(ends, &mut done);
        } else if self.bytes > ALL || self.open.len() > OPEN {
            std::mem::take(self).finish(done);
        }
    }

    fn close(&mut self, ends: Ends, done: &mut impl FnMut(Stream)) {
        if let Some(open) = self.open.remove(&ends) {
            let kept: usize =
                open.sides.iter().map(|side| side.bytes.len() + side.early_bytes).sum();
            self.bytes = self.bytes.saturating_sub(kept);
            done(open.into_stream(ends));
        }
    }

    /// Calls `done` with every connection that is open.
    pub(super) fn finish(self, mut done: impl FnMut(Stream)) {
        let mut open: Vec<_> = self.open.into_iter().collect();
        open.sort_by_key(|(ends, _)| *ends);
        open.into_iter().for_each(|(ends, open)| done(open.into_stream(ends)));
    }
}

impl Open {
    fn into_stream(self, (first, second): Ends) -> Stream {
        // Without other evidence the server is the side with the lower port.
        let client = self.client.unwrap_or(usize::from(first.port() < second.port()));
        let [one, other] = self.sides;
        match client {
            0 => Stream { client: first, server: second, asked: one, answered: other },
            _ => Stream { client: second, server: first, asked: other, answered: one },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_in_any_order_and_twice_make_one_stream() {
        let text: Vec<u8> = (0..=255).collect();
        let order = [(200, 256), (0, 10), (5, 60), (100, 150), (50, 100), (0, 10), (140, 230)];
        let mut side = Side { base: Some(u32::MAX - 20), ..Side::default() };
        for (n, (start, end)) in order.into_iter().enumerate() {
            side.take(n as u64, (u32::MAX - 20).wrapping_add(start), &text[start as usize..end]);
        }
        assert_eq!(side.bytes, text);
        assert_eq!((side.frame(0), side.frame(9), side.frame(10), side.frame(255)), (1, 1, 2, 0));
        assert_eq!(side.early_bytes, 0);
    }

    #[test]
    fn no_side_keeps_more_than_its_share() {
        let mut side = Side::default();
        for n in 0..200u32 {
            side.take(1, n * 1000, &[7; 1000]);
            side.take(1, 70_000 + n * 7, &[7; 1000]);
        }
        assert_eq!(side.bytes.len(), KEPT);
        assert!(side.early_bytes <= KEPT);
    }
}
