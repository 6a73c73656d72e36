//! Classes as the interpreter links them: layouts, which method a call means, bodies.

use bytecode::classfile::{self, Body, ClassFile, Decoder, FieldMember, MethodMember};
use model::jvm::types::access;
use model::jvm::{ClassName, MethodDescriptor, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Where class files come from: those under test, their dependencies, and the JDK's.
pub trait ClassSource {
    /// The bytes of the class; `None` if there is none.
    fn read(&mut self, name: &ClassName) -> Option<Vec<u8>>;
}

impl<F: FnMut(&ClassName) -> Option<Vec<u8>>> ClassSource for F {
    fn read(&mut self, name: &ClassName) -> Option<Vec<u8>> {
        self(name)
    }
}

/// A linked class's number in its [`Classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(u32);

/// A method of a linked class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodId {
    /// The class that declares it.
    pub class: ClassId,
    /// Index among the methods of the class file.
    pub index: u16,
}

/// Where a field's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSlot {
    /// The class that declares it.
    pub class: ClassId,
    /// In the layout of objects, or among the class's static fields.
    pub slot: usize,
}

/// A linked class.
pub struct LinkedClass {
    /// Its class file.
    pub file: ClassFile,
    /// `None` of `java.lang.Object` and of interfaces.
    pub super_class: Option<ClassId>,
    /// Those that it names itself.
    pub interfaces: Vec<ClassId>,
    /// Name and type of each field of an object, superclasses' first.
    pub layout: Vec<(Arc<str>, Type)>,
    /// Fields that the class declares itself, by name and type; whether they are static, and their slot.
    fields: FxHashMap<(Arc<str>, Type), (bool, usize)>,
    methods: FxHashMap<(Arc<str>, MethodDescriptor), u16>,
    bodies: FxHashMap<u16, Option<Rc<Body>>>,
}

impl LinkedClass {
    /// Whether it is an interface.
    pub fn is_interface(&self) -> bool {
        self.file.access & access::INTERFACE != 0
    }

    /// Where objects keep the field of the name; of two, the one that hides the other.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.layout.iter().rposition(|(field, _)| &**field == name)
    }

    /// In the order of the class file.
    pub fn static_fields(&self) -> impl Iterator<Item = &classfile::Field> {
        self.file.fields.iter().filter(|field| field.access & access::STATIC != 0)
    }
}

/// Links classes as they are asked for.
pub struct Classes<'a> {
    source: Box<dyn ClassSource + 'a>,
    numbers: FxHashMap<ClassName, Option<ClassId>>,
    classes: Vec<LinkedClass>,
    /// Members as instructions name them, by where the decoded body keeps them: it lives as long as this.
    fields: FxHashMap<usize, Option<(FieldSlot, bool)>>,
    resolved: FxHashMap<usize, Option<MethodId>>,
    selected: FxHashMap<(ClassId, MethodId), Option<MethodId>>,
}

impl<'a> Classes<'a> {
    /// Nothing is linked yet.
    pub fn new(source: impl ClassSource + 'a) -> Classes<'a> {
        Classes {
            source: Box::new(source),
            numbers: FxHashMap::default(),
            classes: Vec::new(),
            fields: FxHashMap::default(),
            resolved: FxHashMap::default(),
            selected: FxHashMap::default(),
        }
    }

    /// A linked class.
    pub fn get(&self, class: ClassId) -> &LinkedClass {
        &self.classes[class.0 as usize]
    }

    /// The name of a linked class.
    pub fn name(&self, class: ClassId) -> &ClassName {
        &self.get(class).file.name
    }

    /// The method in its class file.
    pub fn method(&self, method: MethodId) -> &classfile::Method {
        &self.get(method.class).file.methods[usize::from(method.index)]
    }

    /// The class of the name; `None` if it or one of its ancestors is missing or cannot be read.
    pub fn link(&mut self, name: &ClassName) -> Option<ClassId> {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        // A class that is its own ancestor has none.
        self.numbers.insert(name.clone(), None);
        let file = classfile::parse(&self.source.read(name)?).ok()?;
        let super_class = match &file.super_class {
            Some(super_class) => Some(self.link(super_class)?),
            None => None,
        };
        let interfaces = file.interfaces.iter().map(|name| self.link(name)).collect::<Option<Vec<_>>>()?;
        let mut layout = super_class.map_or_else(Vec::new, |class| self.get(class).layout.clone());
        let mut fields = FxHashMap::default();
        let mut statics = 0;
        for field in &file.fields {
            let is_static = field.access & access::STATIC != 0;
            let slot = if is_static { statics } else { layout.len() };
            match is_static {
                true => statics += 1,
                false => layout.push((field.name.clone(), field.field_type.clone())),
            }
            fields.insert((field.name.clone(), field.field_type.clone()), (is_static, slot));
        }
        let methods = file.methods.iter().enumerate();
        let methods = methods.map(|(index, method)| ((method.name.clone(), method.descriptor.clone()), index as u16));
        let methods = methods.collect();
        let id = ClassId(u32::try_from(self.classes.len()).expect("memory ends before classes do"));
        let bodies = FxHashMap::default();
        self.classes.push(LinkedClass { file, super_class, interfaces, layout, fields, methods, bodies });
        self.numbers.insert(name.clone(), Some(id));
        Some(id)
    }

    /// The class itself and its superclasses.
    fn chain(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        std::iter::successors(Some(class), |&class| self.get(class).super_class)
    }

    /// All superinterfaces, of superclasses too.
    fn interfaces(&self, class: ClassId) -> Vec<ClassId> {
        let mut found: Vec<ClassId> = Vec::new();
        let mut open: Vec<ClassId> =
            self.chain(class).flat_map(|class| self.get(class).interfaces.iter().copied()).collect();
        open.reverse();
        while let Some(interface) = open.pop() {
            if !found.contains(&interface) {
                found.push(interface);
                open.extend(self.get(interface).interfaces.iter().rev());
            }
        }
        found
    }

    /// Whether a class is the other, or extends or implements it.
    pub fn is_subclass(&self, class: ClassId, of: ClassId) -> bool {
        self.chain(class).any(|ancestor| ancestor == of)
            || self.get(of).is_interface() && self.interfaces(class).contains(&of)
    }

    /// Whether values of one type are values of the other; `None` if a class is missing.
    pub fn is_assignable(&mut self, from: &Type, to: &Type) -> Option<bool> {
        Some(match (from, to) {
            (from, to) if from == to => true,
            (Type::Array(from), Type::Array(to)) => {
                !from.is_primitive() && !to.is_primitive() && self.is_assignable(from, to)?
            }
            (Type::Array(_), Type::Class(to)) => {
                ["java/lang/Object", "java/lang/Cloneable", "java/io/Serializable"].contains(&to.internal())
            }
            (Type::Class(from), Type::Class(to)) => {
                let (from, to) = (self.link(from)?, self.link(to)?);
                self.is_subclass(from, to)
            }
            _ => false,
        })
    }

    /// Where the field is that an instruction names (JVMS §5.4.3.2), and whether it is static.
    pub fn field(&mut self, member: &Arc<FieldMember>) -> Option<(FieldSlot, bool)> {
        let place = Arc::as_ptr(member) as usize;
        if let Some(&known) = self.fields.get(&place) {
            return known;
        }
        let found = self.find_field(&member.owner, &member.name, &member.field_type);
        self.fields.insert(place, found);
        found
    }

    /// As [`Classes::field`], of a member that no body names.
    pub fn find_field(&mut self, owner: &ClassName, name: &Arc<str>, of: &Type) -> Option<(FieldSlot, bool)> {
        let owner = self.link(owner)?;
        let key = (name.clone(), of.clone());
        let declared = |class: ClassId| {
            let &(is_static, slot) = self.get(class).fields.get(&key)?;
            Some((FieldSlot { class, slot }, is_static))
        };
        let mut interfaces = self.interfaces(owner).into_iter();
        self.chain(owner).find_map(declared).or_else(|| interfaces.find_map(declared))
    }

    /// The method that an instruction names (JVMS §5.4.3.3 and §5.4.3.4).
    pub fn resolve(&mut self, member: &Arc<MethodMember>) -> Option<MethodId> {
        let place = Arc::as_ptr(member) as usize;
        if let Some(&known) = self.resolved.get(&place) {
            return known;
        }
        // Arrays have the methods of Object.
        let owner = if member.owner.internal().starts_with('[') {
            ClassName::new("java/lang/Object")
        } else {
            member.owner.clone()
        };
        let found = self.find_method(&owner, &member.name, &member.descriptor);
        self.resolved.insert(place, found);
        found
    }

    /// As [`Classes::resolve`], of a member that no body names.
    pub fn find_method(
        &mut self,
        owner: &ClassName,
        name: &Arc<str>,
        descriptor: &MethodDescriptor,
    ) -> Option<MethodId> {
        let owner = self.link(owner)?;
        let key = (name.clone(), descriptor.clone());
        let declared = |class: ClassId| Some(MethodId { class, index: *self.get(class).methods.get(&key)? });
        self.chain(owner).find_map(declared).or_else(|| self.most_specific(owner, &key))
    }

    /// The method that runs when the resolved one is called on an object of the class (JVMS §5.4.6).
    pub fn select(&mut self, class: ClassId, resolved: MethodId) -> Option<MethodId> {
        if let Some(&known) = self.selected.get(&(class, resolved)) {
            return known;
        }
        let method = self.method(resolved);
        let found = if method.access & access::PRIVATE != 0 {
            Some(resolved)
        } else {
            let key = (method.name.clone(), method.descriptor.clone());
            let overriding = self.chain(class).find_map(|class| {
                let &index = self.get(class).methods.get(&key)?;
                let method = MethodId { class, index };
                (self.method(method).access & (access::PRIVATE | access::STATIC) == 0).then_some(method)
            });
            overriding.or_else(|| self.most_specific(class, &key))
        };
        let found = found.filter(|&method| self.method(method).access & access::ABSTRACT == 0);
        self.selected.insert((class, resolved), found);
        found
    }

    /// Of the superinterfaces' methods one with a body that none of the others overrides, else any.
    fn most_specific(&self, class: ClassId, key: &(Arc<str>, MethodDescriptor)) -> Option<MethodId> {
        let declared: Vec<MethodId> = self
            .interfaces(class)
            .into_iter()
            .filter_map(|class| Some(MethodId { class, index: *self.get(class).methods.get(key)? }))
            .filter(|&method| self.method(method).access & access::PRIVATE == 0)
            .collect();
        let is_overridden = |method: &MethodId| {
            declared.iter().any(|other| other != method && self.is_subclass(other.class, method.class))
        };
        let with_body = |method: &&MethodId| self.method(**method).access & access::ABSTRACT == 0;
        declared.iter().filter(with_body).find(|method| !is_overridden(method)).or(declared.first()).copied()
    }

    /// The method's instructions; `None` of one that is native, abstract or cannot be decoded.
    pub fn body(&mut self, method: MethodId) -> Option<Rc<Body>> {
        let class = &mut self.classes[method.class.0 as usize];
        let file = &class.file;
        class
            .bodies
            .entry(method.index)
            .or_insert_with(|| {
                let code = file.methods[usize::from(method.index)].code.as_ref()?;
                Decoder::new(file).body(code).ok().map(Rc::new)
            })
            .clone()
    }
}
