//! The benchmark runner: arcfour beside its peers, in one run. The method is in bench/README.md.

mod attacks;
mod commands;
mod data;
mod documents;
mod engine;
mod library;
mod machine;
mod plot;
mod processors;
mod record;
mod run;
mod sealed;
mod search;
mod sizes;
mod statistics;
mod survey;
mod tables;
mod targets;

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use arcfour::Backend;
use arcfour_kernels::{KernelSpeed, SealingSpeed};
use arcfour_measure::{Goal, MULTIPLY_CYCLES, Meter, multiply_cycles, processor};
use clap::{Parser, ValueEnum};
use core_affinity::CoreId;
use tempfile::NamedTempFile;

use crate::{
    commands::{Filter, Place},
    documents::{Documents, LARGE_DOCUMENT},
    engine::Workload,
    library::Library,
    run::{COUNTED, FULL, Plan, QUICK, Run},
    sealed::Sealed,
    search::Search,
    survey::Surveyed,
};

/// Measure arcfour beside its peers and record the run. Call it by `make bench`, which builds the
/// engines and commands first
#[derive(Parser)]
struct Args {
    /// A smoke run of few samples and a small file; recorded only where --runs says
    #[arg(long)]
    quick: bool,
    /// Folder of the engines that bench/engines/Makefile makes; ours are beside this program
    #[arg(long, value_name = "DIR")]
    engines: PathBuf,
    /// Folder that gets a folder for this run
    #[arg(long, value_name = "DIR")]
    runs: PathBuf,
    /// Table in which this run replaces the last one on the same kind of processor
    #[arg(long, value_name = "FILE")]
    measured: Option<PathBuf>,
    /// A Python that has pypdf
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Measure whole commands as their file grows to 16 GiB, and nothing else
    #[arg(long)]
    sizes: bool,
    /// Measure and record only these sections; the figures of whole runs by processor stay
    #[arg(long, value_name = "SECTION,...", value_delimiter = ',', conflicts_with = "sizes")]
    only: Vec<Section>,
}

/// A part of a run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Section {
    Commands,
    Documents,
    Surveys,
    Kernels,
    Libraries,
    Statistics,
    Searches,
    Attacks,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let cores = core_affinity::get_core_ids().unwrap_or_default();
    let core = pin(&cores);
    let plan = if args.quick { QUICK } else { FULL };
    let programs = env::current_exe()?.parent().context("a program in a folder")?.to_path_buf();
    let mut meter = Meter::new();
    let multiply = multiply_cycles();
    eprintln!("core {core}; a multiply takes {multiply:.3} cycles, taken as {MULTIPLY_CYCLES}");

    let filters = commands::filters(&programs);
    let pair = cores.last_chunk().map(|cores| cores.map(|core| core.id));
    let sealed = pair.map(|processors| Sealed::new(&programs, processors)).transpose()?;
    let mut facts = machine::facts();
    let mut fact = |name: &str, value: String| facts.push((name.to_string(), value));
    fact("pinned to processor", core);
    fact(
        "multiply latency assumed and measured (cycles)",
        format!("{MULTIPLY_CYCLES}, {multiply:.3}"),
    );
    fact("input of the commands on", machine::file_system(&env::temp_dir()));
    let whole = args.only.is_empty();
    let wants = |section| whole || args.only.contains(&section);
    let seals = sealed.iter().flat_map(|sealed| sealed.seal.iter().chain(&sealed.open));
    for filter in filters.iter().chain(seals).filter(|_| wants(Section::Commands)) {
        fact("command line", format!("`{} < FILE > /dev/null`", filter.line()));
    }
    let day = jiff::Zoned::now().date().to_string();
    let title = format!("{day}, {}", processor());
    let folder = || record::folder(&args.runs, &day, &processor());

    if args.sizes {
        let sealed = sealed.context("sealed files are measured on two processors")?;
        let points = sizes(&mut meter, &filters, &sealed, &programs, args.quick)?;
        let tables = format!("## Whole commands as their file grows\n\n{}", sizes::table(&points));
        println!("{tables}");
        fact("command", "make bench-sizes".to_string());
        let folder = folder()?;
        sizes::write(&folder, &points)?;
        record::sizes(&folder, &title, &facts, &tables)?;
        eprintln!("recorded in {}", folder.display());
        return Ok(());
    }
    let mut run = Run { small_files: plan.small_files, ..Run::default() };
    if wants(Section::Commands) {
        (run.files, run.starts) = whole_commands(&mut meter, &plan, &filters, sealed.as_ref())?;
    }
    if wants(Section::Documents) {
        let documents = Documents::new(&programs, args.python.as_deref(), plan.document)?;
        for command in &documents.decrypt {
            fact("command line", format!("`{} < FILE > /dev/null`", command.line()));
        }
        run.files.extend(decryption(&mut meter, &plan, &documents)?);
        drop(documents);
        run.files.push(large_document(&mut meter, &plan, &programs)?);
    }
    if wants(Section::Surveys) {
        run.files.extend(surveys(&mut meter, &plan, &programs)?);
    }
    if wants(Section::Kernels) {
        run.kernels = kernels(&mut meter, &plan)?;
        run.sealing = sealing(&mut meter, &plan)?;
    }
    if wants(Section::Libraries) {
        let largest = plan.streams.iter().chain(plan.messages).max().context("a plan has sizes")?;
        let mut library = Library::start(&args.engines, &programs, *largest)?;
        run.libraries = libraries(&mut meter, &plan, &mut library)?;
        for (name, version) in library.versions() {
            fact(&format!("engine `{name}`"), version.to_string());
        }
    }
    if wants(Section::Statistics) {
        run.statistics = statistics(&mut meter, &plan, &args.engines)?;
    }
    if wants(Section::Searches) {
        run.searches = searches(&mut meter, &plan, &programs, pair)?;
    }
    if wants(Section::Attacks) {
        run.attacks = attacks(&mut meter, &plan, &programs)?;
    }

    let targets = targets::of(&run, &processor(), whole);
    let tables = tables::all(&run, &targets);
    println!("{tables}");
    let mut command = if args.quick { "make bench-quick" } else { "make bench" }.to_string();
    if !whole {
        let names = args.only.iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<_> = names.map(|value| value.get_name().to_string()).collect();
        command += &format!(" ONLY={}", names.join(","));
    }
    fact("command", command);
    let folder = folder()?;
    record::write(&folder, &title, &facts, &tables, &run)?;
    if let (Some(path), Some(name)) = (args.measured.filter(|_| whole), folder.file_name()) {
        processors::update(&path, &args.runs, &processor(), &name.to_string_lossy(), &targets)?;
    }
    eprintln!("recorded in {}", folder.display());
    Ok(())
}

/// The commands of both kinds at growing sizes.
fn sizes(
    meter: &mut Meter,
    filters: &[Filter],
    sealed: &Sealed,
    programs: &Path,
    quick: bool,
) -> Result<Vec<sizes::Point>> {
    let seal = sealed.seal.first().context("a command that seals")?;
    let ent = commands::ent(programs);
    let commands: Vec<&Filter> = filters.iter().chain([&ent, seal]).collect();
    let open = sealed.open.first().context("a command that opens")?;
    let (sizes, of_documents) = match quick {
        true => (sizes::QUICK, sizes::QUICK),
        false => (sizes::FULL, sizes::DOCUMENTS),
    };
    let mut points = sizes::points(meter, &commands, open, sealed, sizes)?;
    points.extend(sizes::documents(meter, programs, of_documents)?);
    Ok(points)
}

/// Pins this process and its children to one processor, so that the probes see the core of the
/// work. Takes the last processor allowed, because the first handles most interrupts. Returns its
/// number.
fn pin(cores: &[CoreId]) -> String {
    match cores.last() {
        Some(&core) if core_affinity::set_for_current(core) => core.id.to_string(),
        _ => "none (this system does not pin): distrust the gate".to_string(),
    }
}

fn whole_commands(
    meter: &mut Meter,
    plan: &Plan,
    filters: &[Filter],
    sealed: Option<&Sealed>,
) -> Result<(Vec<commands::CommandTiming>, Vec<commands::CommandTiming>)> {
    let file = commands::input(plan.file)?;
    eprintln!("commands, {}: checking the output", tables::size(plan.file));
    commands::verify(filters, file.path())?;
    eprintln!("commands, {}", tables::size(plan.file));
    // Only four times the wanted number of runs, because a run takes a second.
    let goal = Goal { wanted: plan.file_runs, tries: 4 * plan.file_runs };
    let mut files = commands::measure(meter, filters, file.path(), Place::Null, goal)?;
    match sealed {
        None => eprintln!("sealed files: not measured, that takes two processors"),
        Some(sealed) => {
            eprintln!("sealed files, {}: checking the output", tables::size(plan.file));
            let sealed_file = sealed.verify(file.path())?;
            eprintln!("sealed files, {}", tables::size(plan.file));
            files.extend(commands::measure(meter, &sealed.seal, file.path(), Place::Null, goal)?);
            files.extend(commands::measure(
                meter,
                &sealed.open,
                sealed_file.path(),
                Place::Null,
                goal,
            )?);
        }
    }
    eprintln!("commands, empty input");
    let empty = NamedTempFile::new()?;
    let goal = Goal { wanted: plan.starts, tries: 4 * plan.starts };
    let starts = commands::measure(meter, filters, empty.path(), Place::Null, goal)?;
    Ok((files, starts))
}

/// Documents decrypted by each program there is.
fn decryption(
    meter: &mut Meter,
    plan: &Plan,
    documents: &Documents,
) -> Result<Vec<commands::CommandTiming>> {
    eprintln!("documents: checking the output");
    documents.verify()?;
    eprintln!("documents");
    let goal = Goal { wanted: plan.file_runs, tries: 4 * plan.file_runs };
    commands::measure(meter, &documents.decrypt, documents.file.path(), Place::Null, goal)
}

/// A large document decrypted by ours alone, for its memory.
fn large_document(
    meter: &mut Meter,
    plan: &Plan,
    programs: &Path,
) -> Result<commands::CommandTiming> {
    eprintln!("documents, {}", tables::size(plan.large_document));
    let documents = Documents::new(programs, None, plan.large_document)?;
    let ours = documents.decrypt.first().context("ours is the first")?;
    let goal = Goal { wanted: 1, tries: 1 };
    let rows = commands::measure(meter, [ours], documents.file.path(), Place::Null, goal)?;
    let row = rows.into_iter().next().context("one command")?;
    Ok(commands::CommandTiming { name: LARGE_DOCUMENT, ..row })
}

/// Surveys of a tree of small files and of a capture.
fn surveys(
    meter: &mut Meter,
    plan: &Plan,
    programs: &Path,
) -> Result<Vec<commands::CommandTiming>> {
    let goal = Goal { wanted: plan.surveys, tries: 4 * plan.surveys };
    let mut measured = |surveyed: Surveyed| {
        eprintln!("{}: checking the output", surveyed.survey.name);
        surveyed.verify()?;
        eprintln!("{}", surveyed.survey.name);
        surveyed.measure(meter, goal)
    };
    let tree = measured(Surveyed::tree(programs, plan.small_files)?)?;
    let capture = measured(Surveyed::capture(programs, plan.capture)?)?;
    Ok(vec![tree, capture])
}

fn kernels(meter: &mut Meter, plan: &Plan) -> Result<Vec<KernelSpeed>> {
    eprintln!("kernels");
    let goal = Goal::of(plan.samples);
    let kernels = Backend::available().flat_map(arcfour_kernels::kernels);
    kernels.map(|kernel| Ok(kernel?.measure(meter, goal)?)).collect()
}

fn sealing(meter: &mut Meter, plan: &Plan) -> Result<Vec<SealingSpeed>> {
    eprintln!("sealing");
    Ok(arcfour_kernels::sealing(meter, Goal::of(plan.samples))?)
}

fn statistics(
    meter: &mut Meter,
    plan: &Plan,
    engines: &Path,
) -> Result<Vec<statistics::CountTiming>> {
    let mut rows = vec![];
    for counted in COUNTED {
        eprintln!("statistics, {}", counted.name());
        // Only four times the wanted number of samples, because a sample takes a second.
        let goal = Goal { wanted: plan.counts, tries: 4 * plan.counts };
        rows.extend(statistics::measure(meter, engines, counted, plan.keystreams, goal)?);
    }
    Ok(rows)
}

fn searches(
    meter: &mut Meter,
    plan: &Plan,
    programs: &Path,
    processors: Option<[usize; 2]>,
) -> Result<Vec<search::SearchTiming>> {
    let Some(processors) = processors else {
        eprintln!("key search: not measured, that takes two processors");
        return Ok(vec![]);
    };
    eprintln!("key search: checking that a key is found");
    let search = Search::new(programs, processors)?;
    eprintln!("key search");
    // Only four times the wanted number of samples, because a sample takes seconds.
    let goal = |wanted| Goal { wanted, tries: 4 * wanted };
    let mut rows = search.measure(meter, plan.search_shards, goal(plan.searches))?;
    if plan.hashcats > 0 {
        eprintln!("key search, hashcat");
        rows.extend(search::hashcat(meter, processors, goal(plan.hashcats))?);
    }
    Ok(rows)
}

fn attacks(meter: &mut Meter, plan: &Plan, programs: &Path) -> Result<Vec<attacks::AttackTiming>> {
    eprintln!("attacks");
    let goal = Goal { wanted: plan.attacks, tries: 4 * plan.attacks };
    attacks::measure(meter, programs, plan.attacked, goal)
}

fn libraries(
    meter: &mut Meter,
    plan: &Plan,
    library: &mut Library,
) -> Result<Vec<library::KernelTiming>> {
    let streams = plan.streams.iter().map(|&bytes| Workload::Stream(bytes));
    let messages = plan.messages.iter().map(|&bytes| Workload::Message(bytes));
    let mut rows = vec![];
    for work in streams.chain([Workload::Setup]).chain(messages) {
        eprintln!("libraries, {} {}", work.name(), tables::size(work.bytes() as u64));
        // A piece larger than the caches takes long, so fewer samples are taken.
        let wanted = if work.bytes() > 1 << 22 { plan.samples.div_ceil(4) } else { plan.samples };
        rows.extend(library.measure(meter, work, Goal::of(wanted))?);
    }
    Ok(rows)
}
