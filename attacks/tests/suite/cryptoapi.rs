//! Keys of CryptDeriveKey: what Wine 8.0's CryptEncrypt made of 16 zero bytes with each, for the password "password".

use arcfour::Rc4;
use arcfour_attacks::cryptoapi::DeriveKey;
use data_encoding::HEXLOWER;

#[test]
fn wine_makes_the_same_keys() {
    for (way, wanted) in [
        ("md5-40-salt", "b65ecb4c2e5b6e7198c33e4cc7a0d251"),
        ("md5-40", "1f74b75f9d1292de557f4b58e64b2d61"),
        ("md5-56", "dbb8ad17ff6884cee24078ecb8370b4e"),
        ("md5-64", "8fca8827a90ddbd06fe5a5ab3c083eda"),
        ("md5-128", "e8f82b3d755b65e17138a761ff867851"),
        ("sha1-40-salt", "1cec75ee4a35d66d1fbe920e70083ab1"),
        ("sha1-40", "8c325ee3718d9e7f72efeb082d62cdfa"),
        ("sha1-56", "4ca9925a75c09dab9ce692c2d307037c"),
        ("sha1-64", "51da4327e736d86d5c166e889e7c349d"),
        ("sha1-128", "610c8bf4eb4991fe8c9b3c58498870f1"),
    ] {
        let key = way.parse::<DeriveKey>().unwrap().key(b"password");
        let mut made = [0; 16];
        Rc4::from_key(&key).unwrap().apply(&mut made);
        assert_eq!(HEXLOWER.encode(&made), wanted, "{way}");
    }
}
