//! `make soak SOAK_SECONDS=600`: every backend against OpenSSL's RC4 and the crate `rc4`, in one process, on
//! random keys, lengths, splits, alignments and numbers of streams, for a stated time.
//!
//! At the end it appends a line of CSV to the record file: the comparison and the number of wrong
//! bytes. At the first wrong byte it stops with exit code 1 and prints the command that repeats the
//! run.

use std::{
    env,
    error::Error,
    fs::{self, OpenOptions},
    io::Write,
    process::ExitCode,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use arcfour::{Backend, Rc4, StreamCipher, apply_many, fill_many, rekey_many};
use openssl::{
    cipher::Cipher, cipher_ctx::CipherCtx, lib_ctx::LibCtx, provider::Provider, version,
};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};
use rc4::KeyInit;

const USAGE: &str = "soak --seconds N [--seed N] [--record FILE]";
const HEADER: &str =
    "unix_time,processor,openssl,backends,seed,seconds,keys,bytes_checked,bytes_wrong\n";
/// The most streams that are advanced together.
const STREAMS: usize = 12;
/// The longest keystream of a round, in bytes over all streams.
const LONGEST: usize = 4 << 20;

fn main() -> ExitCode {
    let args = match Args::parse(env::args().skip(1)) {
        Ok(args) => args,
        Err(error) => {
            eprintln!("soak: {error}\nusage: {USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(args) {
        Ok(wrong) => ExitCode::from(u8::from(wrong > 0)),
        Err(error) => {
            eprintln!("soak: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Args {
    seconds: u64,
    seed: Option<u64>,
    record: Option<String>,
}

impl Args {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut seconds, mut seed, mut record) = (None, None, None);
        while let Some(name) = args.next() {
            let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
            let number =
                || value.parse::<u64>().map_err(|error| format!("{name} {value}: {error}"));
            match &name[..] {
                "--seconds" => seconds = Some(number()?),
                "--seed" => seed = Some(number()?),
                "--record" => record = Some(value),
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(Self { seconds: seconds.ok_or("--seconds is missing")?, seed, record })
    }
}

/// Returns how many bytes were wrong.
fn run(Args { seconds, seed, record }: Args) -> Result<u64, Box<dyn Error>> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let seed = seed.unwrap_or(now.as_nanos() as u64);

    let (start, mut shown) = (Instant::now(), Instant::now());
    let mut soak = Soak::new(seed)?;
    while start.elapsed() < Duration::from_secs(seconds) && soak.wrong == 0 {
        soak.round()?;
        if shown.elapsed() > Duration::from_secs(60) {
            shown = Instant::now();
            println!("{}", soak.summary(start.elapsed()));
        }
    }
    println!("{}", soak.summary(start.elapsed()));
    if let Some(path) = record {
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        if file.metadata()?.len() == 0 {
            file.write_all(HEADER.as_bytes())?;
        }
        let backends: Vec<_> = soak.backends.iter().map(|backend| backend.name()).collect();
        writeln!(
            file,
            "{},{},{},{},{seed},{},{},{},{}",
            now.as_secs(),
            processor(),
            version::version().replace(',', " "),
            backends.join(" "),
            start.elapsed().as_secs(),
            soak.keys,
            soak.checked,
            soak.wrong,
        )?;
    }
    Ok(soak.wrong)
}

/// The name of the processor, or of the architecture where the system does not say.
fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(env::consts::ARCH, |(_, name)| name.trim()).replace(',', " ")
}

/// OpenSSL's RC4, from its legacy provider.
struct OpenSsl {
    cipher: Cipher,
    _provider: Provider,
    _library: LibCtx,
}

impl OpenSsl {
    fn new() -> Result<Self, Box<dyn Error>> {
        let library = LibCtx::new()?;
        let provider = Provider::load(Some(&library), "legacy")?;
        let cipher = Cipher::fetch(Some(&library), "RC4", None)?;
        Ok(Self { cipher, _provider: provider, _library: library })
    }

    /// Xors the keystream of `key` into `data`.
    fn apply(&self, key: &[u8], data: &mut [u8]) -> Result<(), Box<dyn Error>> {
        let mut context = CipherCtx::new()?;
        context.encrypt_init(Some(&self.cipher), None, None)?;
        context.set_key_length(key.len())?;
        context.encrypt_init(None, Some(key), None)?;
        context.cipher_update_inplace(data, data.len())?;
        Ok(())
    }
}

/// One stream of a round: its key, the data, and what OpenSSL makes of them.
struct Stream {
    key: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
}

struct Soak {
    seed: u64,
    random: SmallRng,
    openssl: OpenSsl,
    backends: Vec<Backend>,
    keys: u64,
    /// Number of our bytes that were compared.
    checked: u64,
    wrong: u64,
}

impl Soak {
    fn new(seed: u64) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            seed,
            random: SmallRng::seed_from_u64(seed),
            openssl: OpenSsl::new()?,
            backends: Backend::available().collect(),
            keys: 0,
            checked: 0,
            wrong: 0,
        })
    }

    fn summary(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64();
        format!(
            "{} bytes of {} checked, {} keys, {} wrong, {seconds:.0} s, {:.2} GB/s, seed {}",
            self.checked,
            self.backends.iter().map(|backend| backend.name()).collect::<Vec<_>>().join(", "),
            self.keys,
            self.wrong,
            self.checked as f64 / seconds / 1e9,
            self.seed
        )
    }

    /// Runs several streams of equal or unequal lengths by every operation of every backend,
    /// against one expected keystream.
    fn round(&mut self) -> Result<(), Box<dyn Error>> {
        let count = self.random.random_range(1..=STREAMS);
        let longest = (LONGEST / count) >> self.random.random_range(0..16);
        let equal = self.random.random_bool(0.5).then(|| self.random.random_range(0..=longest));
        let mut streams = Vec::with_capacity(count);
        for _ in 0..count {
            let len = equal.unwrap_or_else(|| self.random.random_range(0..=longest));
            let key_len = self.random.random_range(1..=256);
            let (key, plaintext) = (self.bytes(key_len), self.bytes(len));
            let mut ciphertext = plaintext.clone();
            if len > 0 {
                self.openssl.apply(&key, &mut ciphertext)?;
            }
            let mut second = plaintext.clone();
            rc4::Rc4::new_from_slice(&key)?.apply_keystream(&mut second);
            if second != ciphertext {
                return Err(format!("OpenSSL and the crate rc4 differ: key {key:02x?}").into());
            }
            streams.push(Stream { key, plaintext, ciphertext });
        }
        self.keys += count as u64;
        for backend in self.backends.clone() {
            for stream in &streams {
                self.alone(backend, stream);
            }
            self.together(backend, &streams);
        }
        Ok(())
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.random.fill_bytes(&mut bytes);
        bytes
    }

    /// Returns the length of the next piece of `left` bytes: short, long or, rarely, 0.
    fn piece(&mut self, left: usize) -> usize {
        let longest = left.min(1 << self.random.random_range(0..=22));
        self.random.random_range(0..=longest)
    }

    /// Runs one stream in random pieces. Each piece has a random operation and a random alignment.
    fn alone(&mut self, backend: Backend, stream: &Stream) {
        let Stream { key, plaintext, ciphertext } = stream;
        let shift = self.random.random_range(0..64);
        let mut made = vec![0; shift + plaintext.len()];
        let made = &mut made[shift..];
        let mut rc4 = self.cipher(backend, key);
        let mut done = 0;
        while done < made.len() {
            let next = done + self.piece(made.len() - done);
            let (input, output) = (&plaintext[done..next], &mut made[done..next]);
            match self.random.random_range(0..3) {
                0 => {
                    output.copy_from_slice(input);
                    rc4.apply(output);
                }
                1 => rc4.apply_keystream_b2b(input, output),
                _ => {
                    rc4.fill(output);
                    output.iter_mut().zip(input).for_each(|(byte, data)| *byte ^= *data);
                }
            }
            done = next;
        }
        self.compare(backend, "alone", key, made, ciphertext);
    }

    /// Returns a new cipher, or a rekeyed one that had another key before.
    fn cipher(&mut self, backend: Backend, key: &[u8]) -> Rc4 {
        if self.random.random_bool(0.5) {
            return Rc4::with_backend(key, backend).expect("1 to 256 bytes");
        }
        let mut rc4 = Rc4::with_backend(b"used before", backend).expect("1 to 256 bytes");
        rc4.skip(self.random.random_range(0..300));
        rc4.rekey(key).expect("1 to 256 bytes");
        rc4
    }

    /// Runs all streams at once in random pieces of equal length while they last. A few streams use
    /// other backends.
    fn together(&mut self, backend: Backend, streams: &[Stream]) {
        let mixed = self.random.random_bool(0.1);
        let mut ciphers: Vec<_> = streams
            .iter()
            .map(|_| {
                let other = self.backends[self.random.random_range(0..self.backends.len())];
                let mut rc4 =
                    Rc4::with_backend(b"used before", if mixed { other } else { backend })
                        .expect("1 to 256 bytes");
                rc4.skip(self.random.random_range(0..20));
                rc4
            })
            .collect();
        let keys: Vec<_> = streams.iter().map(|stream| &stream.key[..]).collect();
        rekey_many(&mut ciphers, &keys).expect("1 to 256 bytes");
        let mut made: Vec<_> = streams.iter().map(|stream| stream.plaintext.clone()).collect();
        let longest = made.iter().map(Vec::len).max().unwrap_or(0);
        let mut done = 0;
        while done < longest {
            let next = done + self.piece(longest - done);
            let mut pieces: Vec<_> = made
                .iter_mut()
                .map(|made| {
                    let len = made.len();
                    &mut made[done.min(len)..next.min(len)]
                })
                .collect();
            if self.random.random_bool(0.5) {
                apply_many(&mut ciphers, &mut pieces);
            } else {
                fill_many(&mut ciphers, &mut pieces);
                for (piece, stream) in pieces.iter_mut().zip(streams) {
                    let data = &stream.plaintext[done.min(stream.plaintext.len())..];
                    piece.iter_mut().zip(data).for_each(|(byte, data)| *byte ^= *data);
                }
            }
            done = next;
        }
        for (made, stream) in made.iter().zip(streams) {
            self.compare(backend, "together", &stream.key, made, &stream.ciphertext);
        }
        let mut heads: Vec<_> =
            streams.iter().map(|stream| vec![0; stream.plaintext.len().min(1 << 12)]).collect();
        let mut outs: Vec<_> = heads.iter_mut().map(|head| &mut head[..]).collect();
        backend.sample_many(&keys, &mut outs).expect("1 to 256 bytes");
        for (head, Stream { key, plaintext, ciphertext }) in heads.iter_mut().zip(streams) {
            head.iter_mut().zip(plaintext).for_each(|(byte, data)| *byte ^= *data);
            self.compare(backend, "sampled", key, head, &ciphertext[..head.len()]);
        }
    }

    fn compare(&mut self, backend: Backend, how: &str, key: &[u8], made: &[u8], expected: &[u8]) {
        self.checked += made.len() as u64;
        if made != expected {
            let differ = made.iter().zip(expected).filter(|(a, b)| a != b).count() as u64;
            self.wrong += differ;
            eprintln!(
                "{}, {how}: {differ} of {} bytes differ, key {key:02x?}, seed {}",
                backend.name(),
                made.len(),
                self.seed
            );
        }
    }
}
