//! Fields that a container sets, in objects that a test makes with `new`.

use super::{Asked, ClassName, Reader};
use bytecode::classfile::{ClassFile, Field};
use model::jvm::types::access;
use model::jvm::{Type, generics::GenericType};
use model::sequence::{Injected, Operation, OperationKind, REFLECTION_TEST_UTILS};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The annotations by which containers know the fields.
const ANNOTATIONS: [&str; 14] = [
    "com/google/inject/Inject",
    "jakarta/annotation/Resource",
    "jakarta/ejb/EJB",
    "jakarta/inject/Inject",
    "jakarta/persistence/PersistenceContext",
    "jakarta/persistence/PersistenceUnit",
    "javax/annotation/Resource",
    "javax/ejb/EJB",
    "javax/inject/Inject",
    "javax/persistence/PersistenceContext",
    "javax/persistence/PersistenceUnit",
    "org/eclipse/microprofile/config/inject/ConfigProperty",
    "org/springframework/beans/factory/annotation/Autowired",
    "org/springframework/beans/factory/annotation/Value",
];

/// The class of Mockito whose methods tests call.
const MOCKITO: &str = "org/mockito/Mockito";

/// A method of Mockito's that older versions lack (before 3.0.1), as they do others that tests call.
const SINCE_3: &str = "verifyNoInteractions";

impl Reader<'_, '_> {
    /// The operation of a constructor under test with the fields set that a container would set and tests can; others as they are.
    pub(super) fn with_injected(&self, file: &ClassFile, operation: Operation) -> Operation {
        if operation.kind != OperationKind::Constructor {
            return operation;
        }
        let mut operation = operation;
        for (class, field) in self.injected_fields(file) {
            let is_open = is_open(&class, field, file);
            if !is_open && !self.has_test_utils() {
                continue;
            }
            operation.parameter_names.resize(operation.inputs.len(), Arc::from(""));
            operation.inputs.push(self.type_of(field));
            operation.parameter_names.push(field.name.clone());
            operation.injected.push(Injected { class, name: field.name.clone(), is_open });
        }
        operation
    }

    /// Reads the classes by which tests make mocks and set fields, and what the code under test asks of other objects if tests
    /// can and may write these as mocks.
    pub(super) fn learn_test_libraries(&mut self, mocks: bool) {
        self.learn([MOCKITO, REFLECTION_TEST_UTILS].map(ClassName::new).into_iter());
        let mockito = self.types.get(&ClassName::new(MOCKITO));
        let is_new = mockito.is_some_and(|facts| facts.methods.iter().any(|method| &*method.name == SINCE_3));
        self.asked = (is_new && mocks).then(|| Asked::by(self.targets));
        if let Some(caught) = self.asked.as_ref().map(Asked::exceptions) {
            self.learn(caught.into_iter().chain([ClassName::new("java/lang/IllegalStateException")]));
        }
    }

    /// The classes under test with a field that a container sets and no test can, and the first such field.
    pub(super) fn closed_fields(&self) -> BTreeMap<ClassName, Arc<str>> {
        let closed = |(name, file): (&ClassName, &ClassFile)| Some((name.clone(), self.closed_field(file)?));
        self.targets.iter().filter_map(closed).collect()
    }

    fn closed_field(&self, file: &ClassFile) -> Option<Arc<str>> {
        let mut fields = self.injected_fields(file).into_iter();
        let is_closed = |(class, field): &(ClassName, &Field)| !is_open(class, field, file) && !self.has_test_utils();
        fields.find(is_closed).map(|(_, field)| field.name.clone())
    }

    fn has_test_utils(&self) -> bool {
        self.types.get(&ClassName::new(REFLECTION_TEST_UTILS)).is_some()
    }

    /// The fields of the class and of its superclasses in the module that a container sets, and that no method of the class sets
    /// by their name.
    fn injected_fields<'f>(&'f self, file: &'f ClassFile) -> Vec<(ClassName, &'f Field)> {
        let is_injected = |field: &&Field| is_set_by_container(field);
        let mut found = Vec::new();
        let mut at = Some(file);
        let mut seen = BTreeSet::new();
        // A forged class may be its own ancestor.
        while let Some(class) = at.filter(|class| seen.insert(&class.name)) {
            let has_setter = |field: &Field| {
                let is_setter = |name: &str| {
                    let property = name.strip_prefix("set");
                    property.is_some_and(|property| property.to_lowercase() == field.name.to_lowercase())
                };
                let mut methods = class.methods.iter().filter(|method| method.access & access::PRIVATE == 0);
                methods
                    .any(|method| is_setter(&method.name) && method.descriptor.parameters == [field.field_type.clone()])
            };
            let fields = class.fields.iter().filter(is_injected).filter(|field| !has_setter(field));
            found.extend(fields.map(|field| (class.name.clone(), field)));
            let parent = class.super_class.as_ref();
            at = parent.and_then(|parent| self.targets.get(parent).or_else(|| self.beside.get(parent)));
        }
        found
    }

    /// The type of the field with its type arguments, if they are those of classes.
    fn type_of(&self, field: &Field) -> Type {
        let generic = field.signature.as_deref().and_then(GenericType::parse);
        generic.and_then(|generic| generic.bind(&Default::default())).unwrap_or_else(|| field.field_type.clone())
    }
}

/// Whether the field is one that a container sets in each object.
pub(crate) fn is_set_by_container(field: &Field) -> bool {
    field.access & (access::STATIC | access::FINAL) == 0
        && field.annotations.iter().any(|annotation| ANNOTATIONS.contains(&annotation.of.internal()))
}

/// Whether tests in the package of the class may set the field, which a class declares that it is or extends.
fn is_open(declaring: &ClassName, field: &Field, of: &ClassFile) -> bool {
    field.access & access::PRIVATE == 0 && declaring.package() == of.name.package()
}
