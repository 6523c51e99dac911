// A table in a structure, its slice's own swap.
struct Rc4 {
    s: [u8; 256],
    i: u8,
    j: u8,
}

impl Rc4 {
    fn new(key: &[u8]) -> Self {
        let mut s = [0u8; 256];
        for (i, cell) in s.iter_mut().enumerate() {
            *cell = i as u8;
        }
        let mut j = 0u8;
        for i in 0..256 {
            j = j.wrapping_add(s[i]).wrapping_add(key[i % key.len()]);
            s.swap(i, usize::from(j));
        }
        Self { s, i: 0, j: 0 }
    }

    fn apply(&mut self, data: &mut [u8]) {
        for byte in data {
            self.i = self.i.wrapping_add(1);
            self.j = self.j.wrapping_add(self.s[usize::from(self.i)]);
            self.s.swap(usize::from(self.i), usize::from(self.j));
            let sum = self.s[usize::from(self.i)].wrapping_add(self.s[usize::from(self.j)]);
            *byte ^= self.s[usize::from(sum)];
        }
    }
}

fn main() {
    let mut data: Vec<u8> = std::env::args().next().unwrap().into_bytes();
    let mut c = Rc4::new(std::env::args().nth(1).unwrap().as_bytes());
    c.apply(&mut data);
    println!("{data:?}");
}
