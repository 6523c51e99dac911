//! Reads the imports of a crate's files by `syn`. Test modules are skipped, because a test may
//! import any file that it tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use syn::{
    Attribute, ItemFn, ItemImpl, ItemMod, ItemUse, Macro, UseTree, VisRestricted, Visibility,
    visit::{self, Visit},
};

use crate::layout::sources;

/// A path from the root of a crate.
pub(crate) type ModulePath = Vec<String>;

/// The imports of one file.
#[derive(Default)]
pub(crate) struct Imports {
    /// Each path that the code uses, from the root of its crate.
    used: Vec<ModulePath>,
    /// Each name that an import introduces, and its path.
    names: Vec<(String, ModulePath)>,
    /// The first word of each path that does not lead into the crate: another crate, or a name of the file.
    foreign: BTreeSet<String>,
}

impl Imports {
    /// Returns each path that the file uses or re-exports.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &ModulePath> {
        self.used.iter().chain(self.names.iter().map(|(_, path)| path))
    }

    /// Returns true if a path begins with the name of another crate.
    pub(crate) fn uses_crate(&self, name: &str) -> bool {
        self.foreign.contains(name)
    }
}

/// A crate's files by their modules.
pub(crate) struct Files(BTreeMap<ModulePath, Imports>);

impl Files {
    /// Reads every file below `folder`.
    pub(crate) fn read(folder: &Path) -> Self {
        let is_read = |file: &PathBuf| {
            let is = |name: &str| file.file_name().is_some_and(|found| found == name);
            let beside_a_library = is("main.rs") && file.with_file_name("lib.rs").exists();
            !beside_a_library && !is("tests.rs") && !is("testkit.rs")
        };
        let files = sources(folder).into_iter().filter(is_read).map(|file| {
            let module = module(file.strip_prefix(folder).expect("a file below the folder"));
            let code = fs::read_to_string(&file).expect("a source in UTF-8");
            let imports = imports(&module, &code);
            (module, imports)
        });
        Self(files.collect())
    }

    /// The files of a crate whose modules, below its root, have these names and codes.
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files = files.into_iter().map(|(name, code)| {
            let module = module(Path::new(if name.is_empty() { "lib" } else { name }));
            let imports = imports(&module, code);
            (module, imports)
        });
        Self(files.collect())
    }

    /// Returns every file, with the files whose items it imports.
    pub(crate) fn arrows(&self) -> BTreeMap<&ModulePath, Vec<&ModulePath>> {
        let used = |(from, imports): (&'_ ModulePath, &'_ Imports)| -> Vec<&ModulePath> {
            let mut used: Vec<_> = imports.used.iter().map(|path| self.home(path)).collect();
            used.sort();
            used.dedup();
            used.retain(|to| *to != from);
            used
        };
        self.0.iter().map(|file| (file.0, used(file))).collect()
    }

    /// Returns the file that defines `path`, following re-exports.
    fn home(&self, path: &[String]) -> &ModulePath {
        let mut path = path.to_vec();
        loop {
            let prefix = |len: usize| self.0.get_key_value(&path[..len]);
            let found = (0..=path.len()).rev().find_map(prefix);
            let (module, imports) = found.expect("the root is a file");
            let rest = &path[module.len()..];
            let mut names = imports.names.iter();
            match names.find(|(name, _)| rest.first() == Some(name)) {
                Some((_, behind)) => path = [behind, &rest[1..]].concat(),
                None => return module,
            }
        }
    }
}

/// The module of a file, from the root of the crate.
pub(crate) fn module(file: &Path) -> ModulePath {
    let file = file.with_extension("");
    let mut words: Vec<_> = file.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    words.pop_if(|word| matches!(&**word, "mod" | "lib" | "main"));
    words
}

/// The imports of a module's code.
pub(crate) fn imports(module: &[String], code: &str) -> Imports {
    let file = syn::parse_file(code).unwrap_or_else(|error| panic!("{module:?}: {error}"));
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(item) => Some(item.ident.to_string()),
        _ => None,
    });
    let children = modules.collect();
    let mut reader = Reader { module: module.to_vec(), children, found: Imports::default() };
    reader.visit_file(&file);
    reader.found
}

struct Reader {
    /// The module that is being read, and the modules declared in the file.
    module: ModulePath,
    children: Vec<String>,
    found: Imports,
}

fn of_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

impl Reader {
    /// Returns a path of the code, from the root of the crate; `None` if it belongs to another
    /// crate.
    fn resolved(&self, path: &[String]) -> Option<ModulePath> {
        let ups = path.iter().take_while(|word| *word == "super").count();
        let mut found = match path.first()?.as_str() {
            "crate" => path[1..].to_vec(),
            "self" => [&self.module, &path[1..]].concat(),
            "super" => [&self.module[..self.module.len().checked_sub(ups)?], &path[ups..]].concat(),
            child if self.children.iter().any(|name| name == child) => {
                [&self.module, path].concat()
            }
            _ => return None,
        };
        found.retain(|word| word != "self");
        Some(found)
    }

    fn use_path(&mut self, path: &[String]) {
        match self.resolved(path) {
            Some(path) => self.found.used.push(path),
            None => self.found.foreign.extend(path.first().cloned()),
        }
    }

    /// Adds the leaves of an import, each prefixed with `before`.
    fn use_tree(&mut self, tree: &UseTree, before: &[String], hands_on: bool) {
        let (leaf, name) = match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                return self.use_tree(&path.tree, &before, hands_on);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.use_tree(tree, before, hands_on));
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.ident.to_string(), name.rename.to_string()),
            // A glob import of a module means the module's file.
            UseTree::Glob(_) => ("self".to_owned(), "*".to_owned()),
        };
        let path = [before, &[leaf]].concat();
        let resolved = self.resolved(&path);
        // A name of another crate is used by the file that hands it on.
        if !hands_on || resolved.is_none() {
            self.use_path(&path);
        }
        let name = if name == "self" { before.last().cloned().unwrap_or(name) } else { name };
        self.found.names.extend(resolved.map(|path| (name, path)));
    }
}

impl<'code> Visit<'code> for Reader {
    fn visit_item_mod(&mut self, item: &'code ItemMod) {
        if item.content.is_some() && !of_tests(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_fn(&mut self, item: &'code ItemFn) {
        if !of_tests(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'code ItemImpl) {
        if !of_tests(&item.attrs) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'code ItemUse) {
        if !of_tests(&item.attrs) {
            self.use_tree(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
        }
    }

    /// The path in a visibility such as `pub(in path)` is no import.
    fn visit_vis_restricted(&mut self, _: &'code VisRestricted) {}

    fn visit_path(&mut self, path: &'code syn::Path) {
        let words: Vec<_> = path.segments.iter().map(|word| word.ident.to_string()).collect();
        if words.len() > 1 {
            self.use_path(&words);
        }
        visit::visit_path(self, path);
    }

    /// The tokens of a macro are not parsed. Paths in it that lead into the crate begin with `crate`, `self` or
    /// `super`.
    fn visit_macro(&mut self, item: &'code Macro) {
        let text = item.tokens.to_string().replace(" :: ", "::").replace(":: ", "::");
        let is_word = |c: char| c == ':' || c == '_' || c.is_alphanumeric();
        for path in text.split(|c: char| !is_word(c)) {
            let words: Vec<_> = path.split("::").map(str::to_owned).collect();
            match &*words[0] {
                _ if words.len() == 1 => {}
                "crate" | "self" | "super" => self.use_path(&words),
                first => _ = self.found.foreign.insert(first.to_owned()),
            }
        }
        visit::visit_macro(self, item);
    }
}
