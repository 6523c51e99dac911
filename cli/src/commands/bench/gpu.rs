//! `arcfour bench gpu`

use std::{
    num::NonZero,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use arcfour::Family;
use arcfour_attacks::search::{
    Device, Event, KeySpace, KeyTest, Known, OfficeVerifier, PdfVerifier, Plaintext, Record, Search,
};
use arcfour_gpu::Adapter;

use crate::console::{
    adapter::{adapter, adapters},
    failure::Failure,
    output::print,
    size,
};

/// Number of keys that the processor searches too, to check the adapter.
const CHECKED: u128 = 1 << 16;

/// Measure the key search of a GPU, and print one line that you can send in
///
/// Each kernel first searches 65,536 keys, and its record is compared with the processor's.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  arcfour bench gpu
  arcfour bench gpu --device 1 --seconds 10")]
pub(super) struct GpuArgs {
    /// The number of an adapter in `arcfour backends` [default: the first GPU]
    #[arg(long, value_name = "N")]
    device: Option<usize>,
    /// Seconds for each kernel, 1 to 600
    #[arg(long, value_name = "N", default_value = "3", value_parser = size::within(1..=600_u16), allow_negative_numbers = true)]
    seconds: u16,
}

impl GpuArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let chosen = match self.device {
            Some(number) => Some(adapter(number)?),
            None => adapters()?.into_iter().map(|(_, adapter)| adapter).find(|a| !a.is_software),
        };
        let none = "no GPU was found; --device N measures another adapter of `arcfour backends`";
        let adapter = chosen.ok_or_else(|| Failure::Work(none.to_owned()))?;
        let time = Duration::from_secs(self.seconds.into());
        let rates = searches().into_iter().map(|(what, search)| {
            check(&adapter, what, &search)?;
            let rate = measure(&adapter, &search, time)?;
            Ok(format!("{what} {:.3} M keys/s", rate / 1e6))
        });
        let rates: Vec<String> = rates.collect::<Result<_, Failure>>()?;
        let Adapter { name, driver, api, .. } = &adapter;
        let version = env!("CARGO_PKG_VERSION");
        print(
            format!("arcfour {version}; {name}; {driver}; {api}; {}\n", rates.join("; "))
                .as_bytes(),
        )
    }
}

/// The searches that are measured. Two bytes of the keystream are known, so a few of the checked keys match.
fn searches() -> [(&'static str, Search); 4] {
    let known = || {
        let plain = Plaintext::new().with(0, "00 00".parse().expect("a pattern"));
        let known = Known::new(&plain, &[0; 2], 0).expect("two bytes");
        KeyTest::new(known, Family::Rc4, None).expect("RC4 takes no IV")
    };
    let search = |mask: &str, test| {
        let space = KeySpace::new(mask.parse().expect("a pattern")).expect("at most 2^64 keys");
        Search::new(space, test)
    };
    let pdf = PdfVerifier { hash: [0; 16], user: [0; 16] };
    let office = OfficeVerifier { verifier: [0; 16], verifier_hash: [0; 16] };
    [
        ("RC4, 5 bytes", search("??{5}", known())),
        ("RC4, 16 bytes", search("00{8} ??{8}", known())),
        ("PDF, R 3", search("??{5}", KeyTest::pdf(pdf))),
        ("Office 97", search("??{5}", KeyTest::office(office))),
    ]
}

fn open(adapter: &Adapter, search: &Search) -> Result<Vec<Box<dyn Device>>, Failure> {
    let device = adapter.open(search);
    let failed = |error| Failure::Work(format!("{} cannot search: {error}", adapter.name));
    device.map(|device| vec![device]).map_err(failed)
}

fn lost(why: Option<String>) -> Result<(), Failure> {
    why.map_or(Ok(()), |why| Err(Failure::Work(why)))
}

/// Compares the adapter's record with the processor's.
fn check(adapter: &Adapter, what: &str, search: &Search) -> Result<(), Failure> {
    let [mut right, mut its] = [Record::new(search), Record::new(search)];
    search.run(0..CHECKED, NonZero::<usize>::MIN, &mut right, |_, _| ControlFlow::Continue(()));
    let mut why = None;
    search.run_with(0..CHECKED, 0, open(adapter, search)?, &mut its, |_, event| match event {
        Event::Progress(_) => ControlFlow::Continue(()),
        Event::Lost(reason) => {
            why = Some(reason.to_owned());
            ControlFlow::Break(())
        }
    });
    lost(why)?;
    match its == right {
        true => Ok(()),
        false => Err(Failure::Work(format!(
            "{}, {what}: its record differs from the processor's, so its speed is not measured",
            adapter.name
        ))),
    }
}

/// Returns keys per second: from the end of the first block to the end of the last within `time`.
fn measure(adapter: &Adapter, search: &Search, time: Duration) -> Result<f64, Failure> {
    let mut record = Record::new(search);
    let devices = open(adapter, search)?;
    let (mut why, mut blocks) = (None, vec![]);
    let start = Instant::now();
    let keys = 0..search.space().size();
    search.run_with(keys, 0, devices, &mut record, |record, event| {
        if let Event::Lost(reason) = event {
            why = Some(reason.to_owned());
            return ControlFlow::Break(());
        }
        let done = record.done();
        if blocks.last().map_or(0, |(_, before)| *before) < done {
            blocks.push((start.elapsed(), done));
        }
        match start.elapsed() > time && blocks.len() > 1 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    lost(why)?;
    let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else {
        return Err(Failure::Work(format!("{} finished no block", adapter.name)));
    };
    Ok((last.1 - first.1) as f64 / (last.0 - first.0).as_secs_f64())
}
