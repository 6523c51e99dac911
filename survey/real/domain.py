"""What Windows domains use: MIT Kerberos, and Samba for NTLM."""

from __future__ import annotations

from pathlib import Path

from namespace import Namespace

REALM = "OLD.EXAMPLE"


def kerberos(folder: Path) -> list[Path]:
    """MIT Kerberos with allow_rc4: a user and a service with an RC4 key alone, one with the export cipher's, one with AES."""
    config = folder / "krb5.conf"
    config.write_text(f"""
[libdefaults]
    default_realm = {REALM}
    dns_lookup_kdc = false
    dns_canonicalize_hostname = false
    rdns = false
    allow_rc4 = true
    allow_weak_crypto = true
    permitted_enctypes = aes256-cts aes128-cts arcfour-hmac arcfour-hmac-exp
    udp_preference_limit = 1465
[realms]
    {REALM} = {{
        kdc = 127.0.0.1
    }}
""")
    (folder / "kdc.conf").write_text(f"""
[kdcdefaults]
    kdc_listen = 88
    kdc_tcp_listen = 88
[realms]
    {REALM} = {{
        database_name = {folder}/principal
        key_stash_file = {folder}/stash
        supported_enctypes = aes256-cts:normal
    }}
""")
    env = {
        "KRB5_CONFIG": str(config),
        "KRB5_KDC_PROFILE": str(folder / "kdc.conf"),
        "KRB5CCNAME": f"FILE:{folder}/cache",
    }
    with Namespace(folder) as space:
        space.run("kdb5_util", "create", "-s", "-P", "master", "-W", env=env)
        for line in [
            "addprinc -pw letter -e arcfour-hmac:normal +requires_preauth quentin",
            "addprinc -pw letter baptiste",
            "addprinc -randkey -e arcfour-hmac:normal http/old.example",
            "addprinc -randkey -e arcfour-hmac-exp:normal http/export.example",
            "addprinc -randkey http/new.example",
            f"ktadd -norandkey -k {folder}/services http/new.example http/old.example http/export.example",
        ]:
            space.run("kadmin.local", "-q", line, env=env)
        space.start("krb5kdc", "-n", env=env)
        space.listens(88)
        with space.captured() as path:
            for user in ["quentin", "baptiste"]:
                space.run("kinit", user, env=env, text="letter\n")
                space.run("kvno", *(f"http/{name}.example@{REALM}" for name in ["old", "new", "export"]), env=env)
    return [path, folder / "services", folder / "cache"]


def samba(folder: Path) -> list[Path]:
    """Samba on both sides: a share, whose session key is exchanged by RC4, and a pipe that NTLM seals."""
    config = folder / "smb.conf"
    folders = [f"{name} = {folder}" for name in ["private dir", "state directory", "cache directory", "lock directory", "pid directory", "ncalrpc dir"]]
    config.write_text("\n".join([
        "[global]", "server role = standalone server", "bind interfaces only = yes", "interfaces = lo",
        "smb ports = 445", "load printers = no", "log level = 1", f"log file = {folder}/log", *folders,
        "[share]", f"path = {folder}", "",
    ]))  # fmt: skip
    with Namespace(folder) as space:
        space.run("smbpasswd", "-c", config, "-s", "-a", "root", text="letter\nletter\n")
        space.start("smbd", "--foreground", "--debug-stdout", "-s", config)
        space.listens(445)
        user = ["-s", str(config), "-U", "root%letter"]
        with space.captured() as path:
            space.run("smbclient", *user, "//127.0.0.1/share", "-c", "ls")
            space.run("rpcclient", *user, "ncacn_np:127.0.0.1[seal]", "-c", "srvinfo")
    return [path]
