//! A second implementation of the families without a backend, written from their papers. It uses
//! plain integers, modulo 256 where the papers say so, and shares no code with the library.

use arcfour::families::Prga;

/// A generator and its number of bytes so far.
pub struct Second {
    next: Box<dyn FnMut() -> usize>,
    pub made: u64,
}

impl Prga for Second {
    fn prga(&mut self) -> u8 {
        self.made += 1;
        (self.next)() as u8
    }
}

fn generator(next: impl FnMut() -> usize + 'static) -> Second {
    Second { next: Box::new(next), made: 0 }
}

fn identity() -> Vec<usize> {
    (0..256).collect()
}

/// RC4's key schedule.
fn ksa(key: &[u8]) -> Vec<usize> {
    let (mut s, mut j) = (identity(), 0);
    for i in 0..256 {
        j = (j + s[i] + usize::from(key[i % key.len()])) % 256;
        s.swap(i, j);
    }
    s
}

pub fn rc4a_equal_keys(key: &[u8]) -> Second {
    let mut s = [ksa(key), ksa(key)];
    let (mut i, mut j, mut count) = (0, [0, 0], 0);
    generator(move || {
        let n = count % 2;
        count += 1;
        if n == 0 {
            i = (i + 1) % 256;
        }
        j[n] = (j[n] + s[n][i]) % 256;
        s[n].swap(i, j[n]);
        let sum = (s[n][i] + s[n][j[n]]) % 256;
        s[1 - n][sum]
    })
}

pub fn vmpc(key: &[u8], iv: &[u8], key_again: bool) -> Second {
    let (mut p, mut s) = (identity(), 0);
    let mut inputs = vec![key, iv];
    if key_again {
        inputs.push(key);
    }
    for data in inputs {
        for m in 0..768 {
            let n = m % 256;
            s = p[(s + p[n] + usize::from(data[m % data.len()])) % 256];
            p.swap(n, s);
        }
    }
    let mut n = 0;
    generator(move || {
        s = p[(s + p[n]) % 256];
        let output = p[(p[p[s]] + 1) % 256];
        p.swap(n, s);
        n = (n + 1) % 256;
        output
    })
}

pub fn rc4plus(key: &[u8]) -> Second {
    let (mut s, mut i, mut j) = (ksa(key), 0, 0);
    generator(move || {
        i = (i + 1) % 256;
        j = (j + s[i]) % 256;
        s.swap(i, j);
        let t = (s[i] + s[j]) % 256;
        let shifted = s[(i / 8) ^ (j * 32 % 256)] + s[(i * 32 % 256) ^ (j / 8)];
        let t1 = (shifted % 256) ^ 0xaa;
        let t2 = (j + s[j]) % 256;
        ((s[t] + s[t1]) % 256) ^ s[t2]
    })
}

/// The registers of Spritz.
struct Sponge {
    s: Vec<usize>,
    i: usize,
    j: usize,
    k: usize,
    z: usize,
    a: usize,
    w: usize,
}

impl Sponge {
    fn update(&mut self, times: usize) {
        for _ in 0..times {
            self.i = (self.i + self.w) % 256;
            self.j = (self.k + self.s[(self.j + self.s[self.i]) % 256]) % 256;
            self.k = (self.i + self.k + self.s[self.j]) % 256;
            self.s.swap(self.i, self.j);
        }
    }

    fn shuffle(&mut self) {
        for round in 0..3 {
            self.update(512);
            self.w = (self.w + 2) % 256;
            if round < 2 {
                for v in 0..128 {
                    let (low, high) = (self.s[v], self.s[255 - v]);
                    (self.s[v], self.s[255 - v]) = (low.min(high), low.max(high));
                }
            }
        }
        self.a = 0;
    }
}

pub fn spritz(key: &[u8]) -> Second {
    let mut sponge = Sponge { s: identity(), i: 0, j: 0, k: 0, z: 0, a: 0, w: 1 };
    for nibble in key.iter().flat_map(|byte| [byte % 16, byte / 16]) {
        if sponge.a == 128 {
            sponge.shuffle();
        }
        sponge.s.swap(sponge.a, 128 + usize::from(nibble));
        sponge.a += 1;
    }
    generator(move || {
        if sponge.a > 0 {
            sponge.shuffle();
        }
        sponge.update(1);
        let Sponge { s, i, j, k, z, .. } = &sponge;
        let output = s[(j + s[(i + s[(z + k) % 256]) % 256]) % 256];
        sponge.z = output;
        output
    })
}

/// `lookup` holds, for each table, the table that is looked up after its shuffle, from 1 as in the paper.
pub fn parc4i(key: &[u8], lookup: [usize; 4]) -> Second {
    let mut s = [ksa(key), ksa(key), ksa(key), ksa(key)];
    let (mut i, mut j, mut count) = (0, [0; 4], 0);
    generator(move || {
        let n = count % 4;
        count += 1;
        if n == 0 {
            i = (i + 1) % 256;
        }
        j[n] = (j[n] + s[n][i]) % 256;
        s[n].swap(i, j[n]);
        let sum = (s[n][i] + s[n][j[n]]) % 256;
        s[lookup[n] - 1][sum]
    })
}
