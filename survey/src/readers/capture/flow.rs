//! Reassembles TCP: the first bytes of each direction, in order.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};

use etherparse::TcpSlice;

/// Number of bytes kept of each direction. Negotiations come first.
const KEPT: usize = 64 << 10;
/// Limit for the memory of all open connections, in bytes. Beyond it the connections that were
/// silent longest are examined and dropped.
const ALL: usize = 24 << 20;
/// Memory of a connection and of a packet beside the data, in bytes. A map doubles its room
/// if connections fill more than half of it.
const CONNECTION: usize = 3 * size_of::<(Ends, Open)>() + 2 * SYNS * size_of::<u32>();
const PACKET: usize = 64;
/// Number of SYN kept of each direction.
const SYNS: usize = 8;

/// The kept part of a TCP connection. A side that was full is empty in the next part.
pub(super) struct Stream {
    /// The side that opened it.
    pub(super) client: SocketAddr,
    /// The other side.
    pub(super) server: SocketAddr,
    /// The client's bytes.
    pub(super) asked: Side,
    /// The server's bytes.
    pub(super) answered: Side,
    /// True if the capture does not show who opened it. Then the port decided.
    pub(super) guessed: bool,
}

impl Stream {
    /// Exchanges the client and the server.
    pub(super) fn turn(&mut self) {
        std::mem::swap(&mut self.client, &mut self.server);
        std::mem::swap(&mut self.asked, &mut self.answered);
    }
}

/// One direction of a connection.
#[derive(Default)]
pub(super) struct Side {
    /// The first bytes, without a gap, after those already examined.
    pub(super) bytes: Vec<u8>,
    /// Number of bytes already examined.
    past: usize,
    /// The number of the first byte, as each SYN announces it. The first data that fit one of the
    /// numbers decide, because an answer of a middlebox or an old attempt may have another number.
    bases: Vec<u32>,
    /// The start of each packet in the bytes, and the packet's number.
    frames: Vec<(usize, u64)>,
    /// Packets that arrived early, by their start in the direction.
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

    /// The end of the bytes without a gap, from the start of the direction.
    fn end(&self) -> usize {
        self.past + self.bytes.len()
    }

    fn is_full(&self) -> bool {
        self.end() == KEPT
    }

    /// The memory in use, in bytes.
    fn memory(&self) -> usize {
        self.bytes.len() + self.early_bytes + PACKET * (self.frames.len() + self.early.len())
    }

    fn has_data(&self) -> bool {
        self.end() > 0 || !self.early.is_empty()
    }

    /// Adds the number of the first byte, as a SYN announces it.
    fn begin(&mut self, base: u32) {
        if !self.bases.contains(&base) {
            if self.bases.len() == SYNS {
                self.bases.remove(0);
            }
            self.bases.push(base);
        }
    }

    /// Adds the data of a packet.
    fn take(&mut self, frame: u64, sequence: u32, data: &[u8]) {
        if self.bases.is_empty() {
            self.bases.push(sequence);
        }
        // Data before a base belong to an old connection, and give a large number here.
        let places = self.bases.iter().map(|base| (sequence.wrapping_sub(*base) as usize, *base));
        let Some((at, base)) = places.min().filter(|(at, _)| *at < KEPT) else { return };
        if data.is_empty() || self.is_full() {
            return;
        }
        self.bases.retain(|one| *one == base);
        if at > self.end() {
            if self.early_bytes + data.len() <= KEPT && !self.early.contains_key(&at) {
                self.early_bytes += data.len();
                self.early.insert(at, (frame, data.to_vec()));
            }
        } else {
            self.append(frame, at, data);
            while let Some(first) = self
                .early
                .first_entry()
                .filter(|first| *first.key() <= self.past + self.bytes.len())
            {
                let (at, (frame, data)) = first.remove_entry();
                self.early_bytes -= data.len();
                self.append(frame, at, &data);
            }
        }
    }

    fn append(&mut self, frame: u64, at: usize, data: &[u8]) {
        let new = data.get(self.end() - at..).unwrap_or_default();
        let new = &new[..new.len().min(KEPT - self.end())];
        if !new.is_empty() {
            self.frames.push((self.bytes.len(), frame));
            self.bytes.extend_from_slice(new);
        }
    }

    /// Takes out the bytes. A side that is full keeps nothing from here on.
    fn part(&mut self) -> Self {
        let mut rest = Self {
            past: self.end(),
            bases: self.bases.clone(),
            ended: self.ended,
            ..Self::default()
        };
        if !self.is_full() {
            rest.early = std::mem::take(&mut self.early);
            rest.early_bytes = self.early_bytes;
        }
        std::mem::replace(self, rest)
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
    /// The number of the last packet.
    last: u64,
}

/// All open connections.
#[derive(Default)]
pub(super) struct Flows {
    open: HashMap<Ends, Open>,
    /// The memory of all, in bytes.
    memory: usize,
}

impl Flows {
    /// Adds a packet. Calls `done` with a connection that the packet ends, or whose kept part it
    /// fills.
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
        // A SYN counts as one byte. Data may follow in the same packet (RFC 7413).
        let sequence = tcp.sequence_number().wrapping_add(tcp.syn().into());
        if tcp.syn() {
            let used = self.open.get(&ends).is_some_and(|open| {
                let side = &open.sides[sender];
                side.has_data() && !side.bases.contains(&sequence)
            });
            if used {
                self.close(ends, &mut done);
            }
        } else if !self.open.contains_key(&ends) && (tcp.payload().is_empty() || tcp.rst()) {
            return;
        }
        let open = self.open.entry(ends).or_insert_with(|| {
            self.memory += CONNECTION;
            Open::default()
        });
        open.last = frame;
        let side = &mut open.sides[sender];
        if tcp.syn() {
            side.begin(sequence);
            open.client.get_or_insert(if tcp.ack() { 1 - sender } else { sender });
        }
        let before = side.memory();
        side.take(frame, sequence, tcp.payload());
        self.memory = self.memory + side.memory() - before;
        side.ended |= tcp.fin();
        let filled = side.is_full() && !side.bytes.is_empty();
        let ended = open.sides.iter().all(|side| side.ended);
        if tcp.rst() || ended {
            self.close(ends, &mut done);
        } else if filled {
            let before = open.memory();
            done(open.part(ends));
            self.memory = self.memory + open.memory() - before;
        } else if self.memory > ALL {
            self.thin(done);
        }
    }

    fn close(&mut self, ends: Ends, done: &mut impl FnMut(Stream)) {
        if let Some(mut open) = self.open.remove(&ends) {
            self.memory -= CONNECTION + open.memory();
            open.end(ends, done);
        }
    }

    /// Closes the half of the connections that was silent longest.
    fn thin(&mut self, mut done: impl FnMut(Stream)) {
        let mut last: Vec<_> = self.open.iter().map(|(ends, open)| (open.last, *ends)).collect();
        last.sort_unstable();
        for (_, ends) in &last[..last.len().div_ceil(2)] {
            self.close(*ends, &mut done);
        }
    }

    /// Calls `done` with every connection that is open.
    pub(super) fn finish(self, mut done: impl FnMut(Stream)) {
        let mut open: Vec<_> = self.open.into_iter().collect();
        open.sort_by_key(|(ends, _)| *ends);
        open.into_iter().for_each(|(ends, mut open)| open.end(ends, &mut done));
    }
}

impl Open {
    fn memory(&self) -> usize {
        self.sides.iter().map(Side::memory).sum()
    }

    /// Calls `done` with what was not examined, if there is any.
    fn end(&mut self, ends: Ends, done: &mut impl FnMut(Stream)) {
        if self.sides.iter().any(|side| !side.bytes.is_empty()) {
            done(self.part(ends));
        }
    }

    fn part(&mut self, (first, second): Ends) -> Stream {
        // Without other evidence the server is the side with the lower port.
        let client = self.client.unwrap_or(usize::from(first.port() < second.port()));
        let guessed = self.client.is_none();
        let [one, other] = self.sides.each_mut().map(Side::part);
        match client {
            0 => Stream { client: first, server: second, asked: one, answered: other, guessed },
            _ => Stream { client: second, server: first, asked: other, answered: one, guessed },
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
        let mut side = Side { bases: vec![u32::MAX - 20], ..Side::default() };
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

    fn address(host: u8, port: u16) -> SocketAddr {
        SocketAddr::new([10, 0, 0, host].into(), port)
    }

    /// Connections, and the streams that were examined.
    #[derive(Default)]
    struct Tried {
        flows: Flows,
        frame: u64,
        done: Vec<Stream>,
    }

    impl Tried {
        /// Sends data. An empty packet opens a connection.
        fn send(&mut self, from: SocketAddr, to: SocketAddr, at: usize, data: &[u8]) {
            let mut header = etherparse::TcpHeader::new(from.port(), to.port(), at as u32, 1024);
            header.syn = data.is_empty();
            let packet = [&header.to_bytes()[..], data].concat();
            let tcp = TcpSlice::from_slice(&packet).unwrap();
            self.frame += 1;
            self.flows.segment(self.frame, (from.ip(), to.ip()), &tcp, |one| self.done.push(one));
        }

        fn finish(mut self) -> Vec<Stream> {
            self.flows.finish(|one| self.done.push(one));
            self.done
        }
    }

    #[test]
    fn a_full_side_is_examined_at_once_and_the_other_goes_on() {
        let (client, server) = (address(5, 4000), address(7, 445));
        let mut tried = Tried::default();
        tried.send(client, server, 0, &[]);
        tried.send(client, server, 1, b"hello");
        for at in 0..KEPT / 1000 + 10 {
            tried.send(server, client, 1 + 1000 * at, &[7; 1000]);
        }
        assert_eq!(tried.done.len(), 1);
        assert!(tried.flows.memory <= CONNECTION);
        tried.send(client, server, 6, b", again");
        let streams = tried.finish();
        let sides = streams.iter().map(|one| (&one.asked.bytes[..], one.answered.bytes.len()));
        assert_eq!(sides.collect::<Vec<_>>(), [(&b"hello"[..], KEPT), (&b", again"[..], 0)]);
        assert!(streams.iter().all(|one| one.client == client));
        assert_eq!(streams[1].asked.frame(0), 2 + (KEPT as u64 / 1000 + 10) + 1);
    }

    #[test]
    fn a_port_used_again_is_another_connection() {
        let (client, server) = (address(5, 4000), address(7, 445));
        let mut tried = Tried::default();
        tried.send(client, server, 99, &[]);
        tried.send(client, server, 100, &[1; KEPT]);
        tried.send(client, server, 7_000_000, &[]);
        tried.send(client, server, 7_000_001, b"new");
        let streams = tried.finish();
        let sizes: Vec<_> = streams.iter().map(|one| one.asked.bytes.len()).collect();
        assert_eq!(sizes, [KEPT, 3]);
    }

    /// A server answers twice, with two numbers. Its data decide which number counts.
    #[test]
    fn data_decide_which_syn_counts() {
        let (client, server) = (address(5, 4000), address(7, 445));
        for (first, second) in [(99, 7_000_000), (7_000_000, 99)] {
            let mut tried = Tried::default();
            tried.send(client, server, 0, &[]);
            tried.send(server, client, first, &[]);
            tried.send(server, client, second, &[]);
            tried.send(server, client, 105, b", again");
            tried.send(server, client, 100, b"hello");
            let streams = tried.finish();
            let texts: Vec<_> = streams.iter().map(|one| &one.answered.bytes[..]).collect();
            assert_eq!(texts, [b"hello, again"]);
        }
    }

    /// Only the last numbers of a flood of SYN are kept.
    #[test]
    fn a_flood_of_syn_takes_no_memory() {
        let mut side = Side::default();
        (0..1000).for_each(|n| side.begin(100_000 * n));
        assert_eq!(side.bases.len(), SYNS);
        side.take(1, 99_900_000, b"the last");
        assert_eq!(side.bytes, b"the last");
    }

    /// Each connection but one is silent after its data. That one sends a byte after every
    /// other connection.
    #[test]
    fn the_connections_silent_longest_make_room() {
        let (client, server) = (address(5, 4000), address(7, 445));
        let mut tried = Tried::default();
        tried.send(client, server, 0, &[]);
        let (count, size) = (3 * ALL / 60_000, 60_000);
        for n in 0..count {
            let other = address(8, 1000 + n as u16);
            tried.send(other, server, 1, &vec![3; size]);
            tried.send(client, server, 1 + n, &[4]);
            assert!(tried.flows.memory <= ALL);
        }
        assert!(tried.done.len() >= count / 2);
        let streams = tried.finish();
        assert_eq!(streams.len(), count + 1);
        let all: usize = streams.iter().map(|one| one.asked.bytes.len()).sum();
        assert_eq!(all, count * size + count);
    }
}
