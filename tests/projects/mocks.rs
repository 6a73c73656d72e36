//! Services with collaborators, where the tests have Mockito and Spring's test utilities: what is written passes in the project's
//! own build, which runs Mockito with strict stubs.

use std::path::Path;
use std::process::{Command, Output};

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>p</groupId>
  <artifactId>shop</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>17</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency>
      <groupId>org.springframework</groupId>
      <artifactId>spring-beans</artifactId>
      <version>6.2.12</version>
    </dependency>
    <dependency>
      <groupId>org.springframework</groupId>
      <artifactId>spring-test</artifactId>
      <version>6.2.12</version>
      <scope>test</scope>
    </dependency>
    <dependency>
      <groupId>org.mockito</groupId>
      <artifactId>mockito-core</artifactId>
      <version>5.17.0</version>
      <scope>test</scope>
    </dependency>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>5.10.2</version>
      <scope>test</scope>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>3.13.0</version>
      </plugin>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>3.2.5</version>
      </plugin>
    </plugins>
  </build>
</project>
"#;

const SOURCES: [(&str, &str); 13] = [
    (
        "Orders",
        "package shop;
         import java.util.*;
         public interface Orders {
             Optional<Order> findById(Long id);
             List<Order> findByCustomer(String customer);
             <S extends Order> S save(S order);
             List<Order> findAll();
             long count();
             void deleteAll();
             boolean existsById(Long id);
             void flush();
             List<Order> findAllById(Iterable<Long> ids);
             default int total() { return findAll().size(); }
         }",
    ),
    (
        "Order",
        "package shop;
         public class Order {
             private final String customer;
             private boolean paid;
             public Order(String customer) { this.customer = customer; }
             public String getCustomer() { return customer; }
             public boolean isPaid() { return paid; }
             public void pay() {
                 if (paid) throw new IllegalStateException(\"already paid\");
                 paid = true;
             }
         }",
    ),
    (
        "Mailer",
        "package shop; public interface Mailer { void send(String to, String text); boolean reaches(String to); }",
    ),
    (
        "OrderService",
        "package shop;
         public class OrderService {
             private final Orders orders;
             private final Mailer mailer;
             public OrderService(Orders orders, Mailer mailer) { this.orders = orders; this.mailer = mailer; }
             public Order pay(long id) {
                 Order order = orders.findById(id)
                         .orElseThrow(() -> new IllegalArgumentException(\"no order \" + id));
                 order.pay();
                 if (mailer.reaches(order.getCustomer())) {
                     mailer.send(order.getCustomer(), \"paid \" + id);
                 }
                 return orders.save(order);
             }
             public int unpaid(String customer) {
                 int count = 0;
                 for (Order order : orders.findByCustomer(customer)) count += order.isPaid() ? 0 : 1;
                 return count;
             }
         }",
    ),
    ("Archive", "package shop; public interface Archive { void store(String name) throws java.io.IOException; }"),
    (
        "OrderHistory",
        "package shop;
         import java.util.*;
         public class OrderHistory {
             private final Orders orders;
             private final Archive archive;
             public OrderHistory(Orders orders, Archive archive) { this.orders = orders; this.archive = archive; }
             public String state(long id) {
                 try {
                     return orders.findById(id).isPresent() ? \"known\" : \"unknown\";
                 } catch (IllegalStateException closed) {
                     return \"closed: \" + id;
                 }
             }
             public boolean archive(String name) {
                 try {
                     archive.store(name + \".zip\");
                     return true;
                 } catch (java.io.IOException full) {
                     return false;
                 }
             }
         }",
    ),
    (
        "Store",
        "package shop;
         import java.util.*;
         public interface Store<T, K> {
             Optional<T> find(K key);
             T put(K key, T value);
             void remove(K key);
             List<T> all();
             List<T> first(int count);
             boolean isEmpty();
             long size();
             void clear();
             void close();
         }",
    ),
    (
        "Basket",
        "package shop;
         public class Basket {
             private final Store<Order, String> store;
             public Basket(Store<Order, String> store) { this.store = store; }
             public String customer(String key) { return store.find(key).map(Order::getCustomer).orElse(\"nobody\"); }
             public void drop(String key) { if (!store.isEmpty()) store.remove(key); }
         }",
    ),
    (
        "Rating",
        "package shop;
         public abstract class Rating {
             protected abstract int points(String customer);
             public boolean isGood(String customer) { return points(customer) > 10; }
         }",
    ),
    (
        "Entities",
        "package shop; public interface Entities { <T> T find(Class<T> of, Object id); int a(); int b(); int c();
         int d(); int e(); int f(); int g(); int h(); }",
    ),
    (
        "OrderController",
        "package shop;
         public class OrderController {
             private final OrderService service;
             private final Rating rating;
             private final Entities entities;
             public OrderController(OrderService service, Rating rating, Entities entities) {
                 this.service = service;
                 this.rating = rating;
                 this.entities = entities;
             }
             public String pay(long id) { return \"paid by \" + service.pay(id).getCustomer(); }
             public String summary(String customer) {
                 String praise = rating.isGood(customer) ? \"good\" : \"new\";
                 return praise + \" customer with \" + service.unpaid(customer) + \" orders\";
             }
             public String owner(long id) {
                 Order order = entities.find(Order.class, id);
                 return order == null ? \"nobody\" : order.getCustomer();
             }
         }",
    ),
    ("OrderPlaced", "package shop; public record OrderPlaced(String customer, int lines) { }"),
    (
        "OrderListener",
        "package shop;
         import org.springframework.beans.factory.annotation.*;
         public class OrderListener {
             @Autowired private Mailer mailer;
             @Value(\"${big:10}\") private int big;
             public void on(OrderPlaced event) {
                 if (event.lines() > big) mailer.send(\"boss@shop.example\", event.customer());
             }
         }",
    ),
];

fn succeeded(output: &Output) -> bool {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    true
}

#[test]
fn collaborators_are_mocks_that_answer_what_they_are_asked() {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("pom.xml", POM);
    for (name, source) in SOURCES {
        write(&format!("src/main/java/shop/{name}.java"), source);
    }
    let maven = |goal: &str| Command::new("mvn").args(["-q", "-B", goal]).current_dir(directory.path()).output();
    let Ok(compiled) = maven("compile") else { return testing::skip("mvn", "no Maven") };
    succeeded(&compiled);
    let limits = ["--sequence-limit", "20000", "--time-limit", "300", "--progress", "none"];
    let randgen = Path::new(env!("CARGO_BIN_EXE_randgen"));
    let output = Command::new(randgen)
        .args(["generate", "--output", "src/test/java"])
        .args(limits)
        .current_dir(directory.path())
        .output()
        .unwrap();
    succeeded(&output);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("left out"), "{output:?}");
    let tests = |class: &str| {
        std::fs::read_to_string(directory.path().join(format!("src/test/java/shop/{class}RandgenTest.java"))).unwrap()
    };
    let service = tests("OrderService");
    for needed in
        ["mock(Orders.class)", ".findById(", ").thenReturn(", "verify(mailer).send(", "import static org.mockito."]
    {
        assert!(service.contains(needed), "{needed} in {service}");
    }
    // Neither null nor what nobody asks, nor what Mockito is told and says again.
    for unwanted in
        ["mock(OrderService.class)", "new OrderService(null", "findAll", "existsById", "new Orders()", "@Override"]
    {
        assert!(!service.contains(unwanted), "{unwanted} in {service}");
    }
    // What the service catches is thrown.
    let history = tests("OrderHistory");
    for needed in [").thenThrow(new IllegalStateException(", "doThrow(", ").when(archive).store(\""] {
        assert!(history.contains(needed), "{needed} in {history}");
    }
    let basket = tests("Basket");
    for needed in ["Store<Order, String> store = mock(Store.class);", "when(store.find(\""] {
        assert!(basket.contains(needed), "{needed} in {basket}");
    }
    // Classes are asked as interfaces are; what a method of any type returns is what the code casts it to.
    let controller = tests("OrderController");
    for needed in [
        "mock(OrderService.class)",
        "mock(Rating.class)",
        "when(orderService.pay(",
        "when(rating.isGood(",
        "when(entities.find(Order.class, ",
    ] {
        assert!(controller.contains(needed), "{needed} in {controller}");
    }
    let listener = tests("OrderListener");
    for needed in [
        "ReflectionTestUtils.setField(orderListener, \"mailer\", mailer);",
        "verify(mailer).send(\"boss@shop.example\"",
    ] {
        assert!(listener.contains(needed), "{needed} in {listener}");
    }
    succeeded(&maven("test").unwrap());
    // A team that wants no mocks has none.
    let output = Command::new(randgen)
        .args(["generate", "--output", "src/test/java", "--mocks=false", "--incremental=false"])
        .args(limits)
        .current_dir(directory.path())
        .output()
        .unwrap();
    succeeded(&output);
    let written = std::fs::read_dir(directory.path().join("src/test/java/shop")).unwrap();
    for file in written.map(|file| file.unwrap().path()) {
        assert!(!std::fs::read_to_string(&file).unwrap().contains("mockito"), "{}", file.display());
    }
}
