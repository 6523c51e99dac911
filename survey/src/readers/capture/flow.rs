//! TCP put together again: the first bytes of each direction, in order.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use etherparse::TcpSlice;

/// Bytes that are kept of each direction: the negotiations are in the first.
const KEPT: usize = 64 << 10;
/// Bytes kept of all open streams, and streams that are open: then all are looked at as they are.
const ALL: usize = 256 << 20;
const OPEN: usize = 200_000;

/// A TCP connection, as far as it was kept.
pub(super) struct Stream {
    /// Who opened it.
    pub(super) client: SocketAddr,
    /// Who was called.
    pub(super) server: SocketAddr,
    /// What the client sent.
    pub(super) asked: Side,
    /// What the server sent.
    pub(super) answered: Side,
}

/// One direction of a connection.
#[derive(Default)]
pub(super) struct Side {
    /// The first bytes, without a gap.
    pub(super) bytes: Vec<u8>,
    /// The number of the first byte.
    base: Option<u32>,
    /// Where in the bytes each packet begins, and the packet.
    frames: Vec<(usize, u64)>,
    /// Packets that came before their time, by where they begin.
    early: BTreeMap<usize, (u64, Vec<u8>)>,
    early_bytes: usize,
    ended: bool,
}

impl Side {
    /// The packet that brought the byte at `offset`.
    pub(super) fn frame(&self, offset: usize) -> u64 {
        let after = self.frames.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map_or(0, |n| self.frames[n].1)
    }

    /// Takes the data of a packet; returns by how many bytes memory has grown.
    fn take(&mut self, frame: u64, sequence: u32, data: &[u8]) -> usize {
        let base = *self.base.get_or_insert(sequence);
        let before = self.bytes.len() + self.early_bytes;
        // What lies before the base is of an old connection, and becomes a large number here.
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
    /// Which of them opened the connection, if that was seen.
    client: Option<usize>,
}

/// All connections that are open.
#[derive(Default)]
pub(super) struct Flows {
    open: HashMap<Ends, Open>,
    bytes: usize,
}

impl Flows {
    /// Takes a packet, and calls `done` with a connection that ends by it.
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
        // Servers have the lower port, where nothing else tells.
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
