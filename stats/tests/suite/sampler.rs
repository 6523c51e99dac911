//! Compares every counter with its definition, and tests shards that stop and continue.

use std::error::Error;

use arcfour::{Rc4, families::rc4::State};
use arcfour_stats::{
    campaign::{Campaign, Kind},
    keys::Keys,
    sampler::{Device, Sampler, SamplerError},
};

use crate::empty_tables;

fn campaign(rest: &str) -> Campaign {
    let seed = "c0".repeat(32);
    Campaign::parse(&format!("seed = '{seed}'\nshards = 3\n{rest}")).unwrap()
}

fn run(campaign: &Campaign, shard: u64) -> Vec<Vec<u64>> {
    let mut sampler = Sampler::start(campaign.clone(), shard).unwrap();
    while sampler.step() {}
    sampler.finish().tables().to_vec()
}

/// Every counter by its definition, keystream by keystream.
fn plainly(campaign: &Campaign, shard: u64) -> Vec<Vec<u64>> {
    let mut tables = empty_tables(campaign);
    let mut keys = Keys::new(campaign, shard, 0);
    let count = campaign.count();
    for _ in 0..campaign.keystreams() {
        let key = keys.next(1).next().unwrap().to_vec();
        let mut z = vec![0; campaign.length()];
        Rc4::with_drop(&key, campaign.drop().into()).unwrap().fill(&mut z);
        z.insert(0, 0); // positions count from 1
        let pair = |a: usize, b: usize| usize::from(z[a]) * 256 + usize::from(z[b]);
        for (section, table) in campaign.sections().iter().zip(&mut tables) {
            match section.kind {
                Kind::Single => {
                    (1..=count.single as usize)
                        .for_each(|r| table[(r - 1) * 256 + usize::from(z[r])] += 1);
                }
                Kind::Digraphs => {
                    (1..=count.digraphs as usize)
                        .for_each(|r| table[(r - 1) * 65536 + pair(r, r + 1)] += 1);
                }
                Kind::Pairs => {
                    for (at, &(a, b)) in count.pairs.iter().enumerate() {
                        table[at * 65536 + pair(a as usize, b as usize)] += 1;
                    }
                }
                Kind::Equal => {
                    for (at, &(a, b)) in count.equal.iter().enumerate() {
                        table[at * 2 + usize::from(z[a as usize] == z[b as usize])] += 1;
                    }
                }
                Kind::LongTerm => {
                    for r in 1..=count.long_term as usize {
                        table[(r + campaign.drop() as usize) % 256 * 65536 + pair(r, r + 1)] += 1;
                    }
                }
                Kind::Absab => {
                    for g in 0..count.absab.1 as usize {
                        for r in 1..=count.absab.0 as usize {
                            table[g * 2
                                + usize::from(pair(r, r + 1) == pair(r + g + 2, r + g + 3))] += 1;
                        }
                    }
                }
                Kind::Roos => {
                    let state = State::ksa(&key).unwrap();
                    for y in 0..count.roos as usize {
                        let sum: usize = (0..=y).map(|x| usize::from(key[x % key.len()])).sum();
                        let f = (y * (y + 1) / 2 + sum) % 256;
                        let s = usize::from(state.parts().0[y]);
                        table[y * 256 + (s + 256 - f) % 256] += 1;
                    }
                }
                Kind::RoosOutput => {
                    let k = |n: usize| usize::from(key[n]);
                    let first = usize::from(State::ksa(&key).unwrap().prga());
                    let offset = (first + 512 - k(2) - 3) % 256;
                    table[(k(0) + k(1)) % 256 * 256 + offset] += 1;
                }
                Kind::Glimpse => {
                    let mut state = State::ksa(&key).unwrap();
                    for r in 1..=count.glimpse as usize + campaign.drop() as usize {
                        state.prga();
                        let (s, i, j) = state.parts();
                        if r > campaign.drop() as usize {
                            let r = r - campaign.drop() as usize;
                            let sum = usize::from(s[usize::from(j)])
                                + usize::from(
                                    s[usize::from(
                                        s[usize::from(i)].wrapping_add(s[usize::from(j)]),
                                    )],
                                );
                            table[(r - 1) * 256 + (sum + 256 - usize::from(i)) % 256] += 1;
                        }
                    }
                }
            }
        }
    }
    tables
}

const ALL: &str = "single = 70\ndigraphs = 67\npairs = [[3, 1], [40, 41]]\nequal = [[1, 2], [5, 1]]\nlong-term = 300\nabsab = [200, 5]\nglimpse = 9\nroos = 256\n";

#[test]
fn every_counter_counts_what_its_definition_says() {
    for (keys, drop) in [
        ("key-length = 16", 0),
        ("key-length = 1", 7),
        ("key-length = 256", 300),
        ("key-length = 5\nkey-pattern = 'tkip'", 1),
    ] {
        let output = !keys.ends_with(" 1");
        let campaign = campaign(&format!(
            "keystreams = 1003\n{keys}\ndrop = {drop}\n[count]\n{ALL}roos-output = {output}"
        ));
        assert!(run(&campaign, 2) == plainly(&campaign, 2), "{keys}, drop {drop}");
    }
}

#[test]
fn shards_have_keys_of_their_own() {
    for keys in ["key-length = 16", "key-length = 5\nkey-pattern = 'tkip'"] {
        let campaign = campaign(&format!("keystreams = 1003\n{keys}\n[count]\nsingle = 1"));
        assert!(run(&campaign, 0) != run(&campaign, 1), "{keys}");
    }
}

/// The far position makes long keystreams, so that a few fill a batch.
#[test]
fn a_sampler_goes_on_where_another_stopped() {
    let all = ALL.replace("[5, 1]", "[20000, 1]");
    let campaign = campaign(&format!("keystreams = 2500\nkey-length = 13\n[count]\n{all}"));
    let mut first = Sampler::start(campaign.clone(), 2).unwrap();
    assert_eq!(format!("{first:?}"), "Sampler { shard: 2, done: 0, .. }");
    assert!(first.step());
    let half = first.counts();
    assert_eq!((half.shards(), half.unfinished()), (&[(2, 2)][..], Some(first.done())));
    let mut second = Sampler::resume(half).unwrap();
    assert_eq!(second.done(), first.done());
    while second.step() {}
    let all = second.finish();
    assert_eq!((all.shards(), all.unfinished()), (&[(2, 2)][..], None));
    assert!(all.tables() == run(&campaign, 2));
}

#[test]
fn tkip_keys_have_its_first_three_bytes() {
    let campaign =
        campaign("keystreams = 9\nkey-length = 16\nkey-pattern = 'tkip'\n[count]\nsingle = 1");
    let mut keys = Keys::new(&campaign, 0, 0);
    assert_eq!(format!("{keys:?}"), "Keys { length: 16, .. }");
    assert!(keys.next(1000).all(|key| key.len() == 16 && key[1] == (key[0] | 0x20) & 0x7f));
}

/// A batch has more keystreams than there are lanes.
#[test]
fn a_complete_shard_has_no_more_steps() {
    for count in ["single = 2", "digraphs = 2"] {
        let campaign = campaign(&format!("keystreams = 100\nkey-length = 16\n[count]\n{count}"));
        let mut sampler = Sampler::start(campaign.clone(), 2).unwrap();
        assert!(!sampler.step());
        let counts = sampler.counts();
        assert!(!sampler.step() && sampler.counts() == counts);
        let mut again = Sampler::resume(counts.clone()).unwrap();
        assert!(!again.step() && again.finish() == counts);
        let error = SamplerError::NoSuchShard { shard: 3, last: 2 };
        assert_eq!(Sampler::start(campaign.clone(), 3).err(), Some(error));
        let mut two = Sampler::start(campaign, 1).unwrap();
        two.step();
        let mut both = two.finish();
        both.merge(counts).unwrap();
        assert_eq!(Sampler::resume(both).err(), Some(SamplerError::SeveralShards));
    }
}

/// A device that is lost after some batches.
struct Lasting(usize);

impl Device for Lasting {
    fn batch(&self) -> usize {
        49
    }

    fn count(
        &mut self,
        keys: &[&[u8]],
        totals: &mut [u64],
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        self.0 = self.0.checked_sub(1).ok_or("it is lost")?;
        for key in keys {
            let mut z = vec![0; totals.len() / 256];
            Rc4::with_drop(key, 3).unwrap().fill(&mut z);
            z.iter().enumerate().for_each(|(at, &z)| totals[at * 256 + usize::from(z)] += 1);
        }
        Ok(())
    }
}

/// Each key is counted once, also the keys of the batch that is lost.
#[test]
fn a_device_and_the_processor_count_one_shard() {
    let campaign = campaign("keystreams = 5000\nkey-length = 5\ndrop = 3\n[count]\nsingle = 20");
    let right = plainly(&campaign, 2);
    for batches in [0, 1, 7, 103] {
        let mut sampler = Sampler::start(campaign.clone(), 2).unwrap();
        let mut device = Lasting(batches);
        for batch in 1..=batches {
            assert_eq!(sampler.step_on(&mut device).unwrap(), batch < 103);
        }
        let done = sampler.done();
        match sampler.step_on(&mut device) {
            Ok(more) => assert!(!more && done == 5000),
            Err(error) => assert!(error.to_string() == "it is lost" && batches < 103),
        }
        assert_eq!(sampler.done(), done);
        while sampler.step() {}
        assert_eq!(sampler.finish().tables(), right, "{batches} batches");
    }
}

#[test]
fn a_device_counts_single_bytes_alone() {
    for count in ["digraphs = 1", "glimpse = 9", "single = 9\nequal = [[1, 2]]"] {
        let campaign = campaign(&format!("keystreams = 9\nkey-length = 5\n[count]\n{count}"));
        let mut sampler = Sampler::start(campaign, 0).unwrap();
        let refused = sampler.step_on(&mut Lasting(9)).unwrap_err();
        assert_eq!(refused.to_string(), "a device counts single bytes alone");
        assert_eq!(sampler.done(), 0);
    }
}
