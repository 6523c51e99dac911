//! The protocol of bench/engines/README.md for the engines in Rust.

mod engine;

use std::{
    env,
    fs::File,
    io::{self, BufRead, Read, Write},
};

use anyhow::{Context, Result, bail};
use arcfour::{Backend, KeyInit, Rc4};

use engine::{Cipher, Engine, KEY_BYTES, Keys};

const KEYS: usize = 4096;

fn engines() -> Vec<Box<dyn Engine>> {
    let ours = |name, backend: Backend| -> Box<dyn Engine> {
        let version = format!("backend {}", backend.name());
        Box::new(Cipher::new(name, version, move |key: &[u8]| {
            Rc4::with_backend(key, backend).expect("16 bytes are a valid key")
        }))
    };
    let native = if cfg!(target_feature = "avx2") { ", target-cpu=native" } else { "" };
    let mut engines = vec![ours("arcfour", Backend::detect())];
    engines.extend(Backend::named("portable").map(|portable| ours("arcfour-portable", portable)));
    engines.push(Box::new(Cipher::new(
        "rustcrypto-rc4",
        format!("0.2{native}"),
        |key: &[u8]| rc4::Rc4::new_from_slice(key).expect("16 bytes are a valid key"),
    )));
    engines
}

struct Session {
    path: String,
    engines: Vec<Box<dyn Engine>>,
    keys: Keys,
    data: Vec<u8>,
}

impl Session {
    fn reset(&mut self) -> Result<()> {
        let mut file = File::open(&self.path).with_context(|| self.path.clone())?;
        let mut keys = vec![0; KEYS * KEY_BYTES];
        file.read_exact(&mut keys)?;
        file.read_exact(&mut self.data)?;
        self.keys = Keys::new(keys);
        self.engines.iter_mut().for_each(|engine| engine.reset());
        Ok(())
    }

    fn obey(&mut self, line: &str, out: &mut impl Write) -> Result<()> {
        match *line.split_whitespace().collect::<Vec<_>>() {
            ["reset"] => {
                self.reset()?;
                writeln!(out, "0")?;
            }
            ["dump", offset, bytes] => {
                let offset: usize = offset.parse()?;
                let range = offset..offset + bytes.parse::<usize>()?;
                out.write_all(self.data.get(range).context("outside the data")?)?;
            }
            ["run", name, work, offset, bytes, iterations] => {
                let offset: usize = offset.parse()?;
                let range = offset..offset + bytes.parse::<usize>()?;
                let data = self.data.get_mut(range).context("outside the data")?;
                let mut engines = self.engines.iter_mut();
                let engine = engines.find(|e| e.name() == name).context("no such engine")?;
                let time = engine.run(work.parse()?, &mut self.keys, data, iterations.parse()?);
                writeln!(out, "{}", time.as_nanos())?;
            }
            _ => bail!("no such request"),
        }
        Ok(out.flush()?)
    }
}

fn main() -> Result<()> {
    let mut args = env::args().skip(1);
    let (Some(path), Some(bytes), None) = (args.next(), args.next(), args.next()) else {
        bail!("usage: engine DATA_FILE DATA_BYTES");
    };
    let data = vec![0; bytes.parse().with_context(|| bytes)?];
    let mut session = Session { path, engines: engines(), keys: Keys::default(), data };
    let mut out = io::stdout().lock();
    for engine in &session.engines {
        writeln!(out, "{}\t{}", engine.name(), engine.version())?;
    }
    writeln!(out)?;
    out.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        session.obey(&line, &mut out).with_context(|| line)?;
    }
    Ok(())
}
