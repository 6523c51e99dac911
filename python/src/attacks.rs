//! `attacks`: keys from states, from memory and from captures of WEP.

use std::io::BufReader;

use arcfour_attacks::{
    experiment::Random,
    memory, state,
    wep::{
        self, KEY_LENGTHS, Method, Packet,
        capture::{self, CaptureError},
    },
};
use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict, PyList},
};
use zeroize::Zeroizing;

use crate::{
    buffer::{Buffer, to_python},
    cipher::permutation,
    numbers::Integer::{self, Fits},
    streams::Pieces,
};

/// Most keys that are tested for a state.
const TESTS: u64 = 1 << 20;
/// Number of bytes of a capture that are copied at a time.
const PIECE: usize = 1 << 20;
/// Number of packets that are simulated between two looks at the signals: a multiple of 16, which
/// come from one call of the generator.
const PACKETS: usize = 1 << 16;
/// Maximum number of key prefixes of a search for a WEP key.
const MAX_PREFIXES: u64 = 100_000;

/// Find the key whose key schedule makes this table. Returns None if no key is found.
///
/// `table` has 256 bytes, each value once, as in `Cipher.state`. `length` is the length of the key,
/// 1 to 32 bytes. `tests` is the number of keys that are tried, the likeliest first, 1 to 1048576.
///
/// Raises ValueError if the table is no permutation, or for a number out of range.
#[pyfunction]
#[pyo3(
    signature = (table, length, *, tests=Fits(16384)),
    text_signature = "(table, length, *, tests=16384)"
)]
pub fn key_from_state<'py>(
    table: &Bound<'py, PyAny>,
    length: Integer,
    tests: Integer,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = table.py();
    let length = length.within("length", 1..=state::MAX_LENGTH as u64)?;
    let tests = tests.within("tests", 1..=TESTS)?;
    let table = Zeroizing::new(*permutation("table", Buffer::of(table)?.bytes())?);
    let found = py.detach(|| state::find_key(&table, length, tests));
    Ok(found.map(|found| PyBytes::new(py, &found.key)))
}

/// Find RC4 states in a memory dump, and their keys.
///
/// `dump` is bytes-like and is read in pieces; for a file use `numpy.memmap`. Keys of 5, 13 and 16
/// bytes are found, if the state had made at most `produced` bytes of keystream, at most 2^30.
/// Returns a list of dicts with `offset`, `layout`, `table`, `i`, `j`, `key` and `produced`. `key`
/// and `produced` are None if only the layout shows that this is a state. A state without a key is
/// listed once for each reading of its indexes. For example, libgcrypt and the Linux kernel keep
/// different values of i at one place. Ctrl-C ends the search.
///
/// Raises ValueError for a number out of range.
#[pyfunction]
#[pyo3(
    signature = (dump, *, produced=Fits(1 << 20)),
    text_signature = "(dump, *, produced=1048576)"
)]
pub fn memory_states<'py>(
    dump: &Bound<'py, PyAny>,
    produced: Integer,
) -> PyResult<Bound<'py, PyList>> {
    let py = dump.py();
    let produced = produced.within("produced", 0..=1 << 30)?;
    let dump = Pieces::of(dump)?;
    let find = || {
        let mut states = vec![];
        let found = |table: memory::Table| {
            Python::attach(|py| py.check_signals())?;
            let open = |stream: memory::Stream| {
                let opened = stream.find_key(&[5, 13, 16], produced, 1 << 14)?;
                Some((table.offset, stream, Some(opened)))
            };
            // A key proves a stream. Without one every likely reading of the indexes stands.
            match table.streams().find_map(open) {
                Some(opened) => states.push(opened),
                None => {
                    let likely = table.streams().filter(memory::Stream::is_likely);
                    states.extend(likely.map(|stream| (table.offset, stream, None)));
                }
            }
            Ok::<(), PyErr>(())
        };
        memory::scan(dump, found, |_| Ok(())).map(|_| states)
    };
    let states = py.detach(find)?;
    let state = |(offset, stream, opened): (u64, memory::Stream, Option<memory::Opened>)| {
        let dict = PyDict::new(py);
        dict.set_item("offset", offset)?;
        dict.set_item("layout", stream.layout.name)?;
        dict.set_item("table", PyBytes::new(py, &stream.s))?;
        dict.set_item("i", stream.i)?;
        dict.set_item("j", stream.j)?;
        dict.set_item("key", opened.as_ref().map(|opened| PyBytes::new(py, &opened.key)))?;
        dict.set_item("produced", opened.map(|opened| opened.produced))?;
        Ok(dict)
    };
    PyList::new(py, states.into_iter().map(state).collect::<PyResult<Vec<_>>>()?)
}

/// Make a pcap file of WEP packets: ARP requests with random IVs.
///
/// `key` is 5 or 13 bytes, `packets` 1 to 10000000. The same seed gives the same file.
///
/// Raises ValueError for another key or a number out of range.
#[pyfunction]
#[pyo3(signature = (key, packets, *, seed=Fits(1)), text_signature = "(key, packets, *, seed=1)")]
pub fn wep_capture<'py>(
    key: &Bound<'py, PyAny>,
    packets: Integer,
    seed: Integer,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = key.py();
    let packets = packets.within("packets", 1..=10_000_000)?;
    let seed = seed.within("seed", 0..=u64::MAX)?;
    let key = Buffer::of(key)?.secret()?;
    if !KEY_LENGTHS.contains(&key.len()) {
        let message = format!("key is {} bytes long; it must be 5 or 13", key.len());
        return Err(PyValueError::new_err(message));
    }
    let mut random = Random::new("Python", seed, 0);
    let mut simulated = vec![];
    while simulated.len() < packets {
        let now = PACKETS.min(packets - simulated.len());
        simulated.extend(py.detach(|| Packet::simulate(&key, now, &mut random)));
        py.check_signals()?;
    }
    let file = py.detach(|| capture::write(&key, &simulated, capture::Sender::Source));
    to_python(py, &file)
}

/// Find the WEP key of a capture. Returns None if no key is found.
///
/// `capture` is a pcap or pcapng file of 802.11 frames, or an .ivs file, as bytes; the network with
/// the most packets is attacked. `key_length` is 5 or 13; without it both are tried. `max_prefixes`
/// is the number of prefixes of keys that are extended, 1 to 100000.
///
/// Raises ValueError if the file has another format or no WEP packet, or for a number out of range.
#[pyfunction]
#[pyo3(
    signature = (capture, *, key_length=None, max_prefixes=Fits(10000)),
    text_signature = "(capture, *, key_length=None, max_prefixes=10000)"
)]
pub fn wep_key<'py>(
    capture: &Bound<'py, PyAny>,
    key_length: Option<Integer>,
    max_prefixes: Integer,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = capture.py();
    let max_prefixes = max_prefixes.within("max_prefixes", 1..=MAX_PREFIXES)?;
    let lengths = match key_length {
        None => KEY_LENGTHS.to_vec(),
        Some(length) => match length.within("key_length", 5..=13)? {
            length @ (5 | 13) => vec![length],
            length => {
                let message = format!("key_length is {length}; it must be 5 or 13");
                return Err(PyValueError::new_err(message));
            }
        },
    };
    let file = BufReader::with_capacity(PIECE, Pieces::of(capture)?);
    let refused = |message: String| PyValueError::new_err(format!("capture: {message}"));
    let read = py.detach(|| capture::read(file)).map_err(|error| match error {
        CaptureError::Read(error) => error.into(),
        error => refused(error.to_string()),
    })?;
    let network = match read.networks.first() {
        Some(network) if network.total() > 0 => network,
        _ => return Err(refused(format!("no WEP packet in {} packets", read.packets))),
    };
    let found = py.detach(|| {
        let readings = network.readings();
        let readings: Vec<&[Packet]> = readings.iter().map(Vec::as_slice).collect();
        wep::find_key(&readings, &network.check(), &lengths, Method::All, max_prefixes)
    });
    Ok(found.map(|found| PyBytes::new(py, &found.key)))
}
