#include "store/demo_tables.h"

const char demo_schema_sql[] =
    "CREATE TABLE categories (category_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " parent_category_id INTEGER REFERENCES categories (category_id));"
    "CREATE TABLE suppliers (supplier_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT "
    "NULL,"
    " email TEXT, rating INTEGER);"
    "CREATE TABLE products (product_id INTEGER PRIMARY KEY, sku TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " category_id INTEGER NOT NULL REFERENCES categories (category_id), price DECIMAL(10,2) NOT NULL,"
    " cost DECIMAL(10,2) NOT NULL, weight_grams INTEGER, launched_on DATE NOT NULL, discontinued BOOLEAN NOT NULL);"
    "CREATE TABLE product_suppliers (product_id INTEGER NOT NULL REFERENCES products (product_id),"
    " supplier_id INTEGER NOT NULL REFERENCES suppliers (supplier_id), purchase_price DECIMAL(10,2) NOT NULL,"
    " lead_time_days INTEGER NOT NULL, PRIMARY KEY (product_id, supplier_id)) WITHOUT ROWID;"
    "CREATE TABLE stores (store_id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, country TEXT NOT NULL,"
    " opened_on DATE NOT NULL, floor_area INTEGER NOT NULL);"
    "CREATE TABLE employees (employee_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL,"
    " job_title TEXT NOT NULL, store_id INTEGER REFERENCES stores (store_id),"
    " manager_id INTEGER REFERENCES employees (employee_id), hired_on DATE NOT NULL, salary DECIMAL(10,2) NOT NULL);"
    "CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email "
    "TEXT,"
    " phone TEXT, city TEXT NOT NULL, country TEXT NOT NULL, segment TEXT NOT NULL, birth_date DATE,"
    " registered_on DATE NOT NULL, newsletter BOOLEAN NOT NULL);"
    "CREATE TABLE orders (order_id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers "
    "(customer_id),"
    " store_id INTEGER REFERENCES stores (store_id), employee_id INTEGER REFERENCES employees (employee_id),"
    " channel TEXT NOT NULL, status TEXT NOT NULL, order_date DATE NOT NULL, shipped_date DATE,"
    " shipping_fee DECIMAL(10,2) NOT NULL);"
    "CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders (order_id), line_number INTEGER NOT NULL,"
    " product_id INTEGER NOT NULL REFERENCES products (product_id), quantity INTEGER NOT NULL,"
    " unit_price DECIMAL(10,2) NOT NULL, amount DECIMAL(10,2) NOT NULL, PRIMARY KEY (order_id, line_number));"
    "CREATE TABLE payments (payment_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL REFERENCES orders (order_id),"
    " method TEXT NOT NULL, amount DECIMAL(10,2) NOT NULL, paid_at TIMESTAMP NOT NULL);"
    "CREATE TABLE returns (return_id INTEGER PRIMARY KEY, order_id INTEGER NOT NULL, line_number INTEGER NOT NULL,"
    " returned_on DATE NOT NULL, reason TEXT, refund DECIMAL(10,2) NOT NULL,"
    " FOREIGN KEY (order_id, line_number) REFERENCES order_items (order_id, line_number));"
    "CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL REFERENCES products (product_id),"
    " customer_id INTEGER NOT NULL REFERENCES customers (customer_id), rating INTEGER NOT NULL, comment TEXT,"
    " reviewed_on DATE NOT NULL);";

const char demo_index_sql[] =
    "CREATE INDEX products_category ON products (category_id);"
    "CREATE INDEX product_suppliers_supplier ON product_suppliers (supplier_id);"
    "CREATE INDEX employees_store ON employees (store_id); CREATE INDEX orders_customer ON orders (customer_id);"
    "CREATE INDEX orders_date ON orders (order_date); CREATE INDEX order_items_product ON order_items (product_id);"
    "CREATE INDEX payments_order ON payments (order_id); CREATE INDEX returns_order ON returns (order_id, line_number);"
    "CREATE INDEX reviews_product ON reviews (product_id); CREATE INDEX reviews_customer ON reviews (customer_id);"
    "ANALYZE;";

const struct shelf demo_shelves[DEMO_SHELVES] = {
    { "Cookware", "Kitchen", ALL_YEAR, 1900, 14900, 600, 4200, { "Saucepan", "Frying Pan", "Casserole" } },
    { "Knives", "Kitchen", ALL_YEAR, 1500, 12900, 90, 420, { "Chef's Knife", "Bread Knife", "Paring Knife" } },
    { "Coffee and Tea", "Kitchen", WINTER, 900, 8900, 150, 1900, { "Teapot", "Coffee Grinder", "French Press" } },
    { "Tableware", "Kitchen", ALL_YEAR, 400, 5900, 150, 2400, { "Bowl", "Dinner Plate", "Carafe" } },
    { "Tents", "Outdoor", SUMMER, 9900, 59900, 1400, 9800, { "Dome Tent", "Tunnel Tent", "Tarp" } },
    { "Backpacks", "Outdoor", SUMMER, 3900, 24900, 500, 2600, { "Daypack", "Trekking Backpack", "Roll-top Bag" } },
    { "Sleeping Bags", "Outdoor", SUMMER, 4900, 34900, 700, 2400, { "Sleeping Bag", "Quilt", "Sleeping Mat" } },
    { "Lamps", "Outdoor", WINTER, 1200, 9900, 80, 1300, { "Headlamp", "Lantern", "Camp Light" } },
    { "Desks", "Office", ALL_YEAR, 12900, 89900, 9000, 42000, { "Writing Desk", "Standing Desk", "Corner Desk" } },
    { "Chairs", "Office", ALL_YEAR, 6900, 54900, 4000, 19000, { "Desk Chair", "Stool", "Armchair" } },
    { "Stationery", "Office", ALL_YEAR, 250, 3900, 20, 700, { "Notebook", "Fountain Pen", "Letter Tray" } },
    { "Garden Tools", "Garden", SPRING, 900, 7900, 200, 3100, { "Spade", "Pruning Shears", "Hand Rake" } },
    { "Planters", "Garden", SPRING, 600, 8900, 400, 7800, { "Planter", "Hanging Pot", "Herb Box" } },
    { "Seeds", "Garden", SPRING, 190, 1290, 5, 90, { "Herb Seeds", "Wildflower Mix", "Tomato Seeds" } },
    { "Puzzles", "Toys", WINTER, 790, 4900, 250, 1500, { "Jigsaw Puzzle", "Brain Teaser", "Floor Puzzle" } },
    { "Board Games", "Toys", WINTER, 1490, 6900, 400, 2600, { "Board Game", "Card Game", "Dice Game" } },
    { "Wooden Toys", "Toys", WINTER, 990, 9900, 150, 3600, { "Train Set", "Building Blocks", "Rocking Horse" } },
};
const char *const demo_departments[DEMO_DEPARTMENTS] = { "Kitchen", "Outdoor", "Office", "Garden", "Toys", "Bathroom" };

const char *const demo_lines[DEMO_LINES] = { "Fjord",   "Alder",   "Birch",  "Cedar",  "Ember",   "Harbour",
                                             "Juniper", "Lichen",  "Meadow", "Nimbus", "Osprey",  "Älv",
                                             "Quill",   "Saffron", "Tundra", "Willow", "Bruyère", "Pebble" };

const char *const demo_first_names[50] = {
    "Anna",   "Maria", "Peter",      "Thomas", "Sofia",  "Emma",     "Lukas",   "Marie", "Jan",       "Laura",
    "Paul",   "Julia", "David",      "Lena",   "Martin", "Clara",    "Andreas", "Eva",   "Daniel",    "Nina",
    "José",   "Zoë",   "Søren",      "Łukasz", "Renée",  "François", "Jürgen",  "Aïda",  "Björn",     "Chloé",
    "Inês",   "João",  "Małgorzata", "Štěpán", "Ayşe",   "Noah",     "Olivia",  "Hugo",  "Elena",     "Marco",
    "Giulia", "Pablo", "Carmen",     "Erik",   "Ingrid", "Oskar",    "Freya",   "Tomáš", "Katarzyna", "Isabel"
};
const char *const demo_last_names[48] = {
    "Müller",   "Schmidt",   "Weber",      "Fischer",   "Wagner",    "Becker",    "Hoffmann",     "Schäfer",
    "García",   "Martínez",  "López",      "Fernández", "Rossi",     "Bianchi",   "Ferrari",      "Martin",
    "Bernard",  "Dubois",    "Lefèvre",    "Moreau",    "Silva",     "Santos",    "Gonçalves",    "Pereira",
    "Kowalski", "Nowak",     "Wiśniewska", "Wójcik",    "Andersson", "Johansson", "Lindström",    "Sørensen",
    "Hansen",   "Jørgensen", "Novotný",    "Dvořák",    "de Vries",  "Jansen",    "van den Berg", "O'Brien",
    "Murphy",   "Gruber",    "Huber",      "Meier",     "Keller",    "Yılmaz",    "Horváth",      "Popescu"
};

const struct place demo_places[DEMO_PLACES] = {
    { "Berlin", "Germany" },     { "Hamburg", "Germany" }, { "München", "Germany" },       { "Köln", "Germany" },
    { "Leipzig", "Germany" },    { "Wien", "Austria" },    { "Graz", "Austria" },          { "Zürich", "Switzerland" },
    { "Genève", "Switzerland" }, { "Paris", "France" },    { "Lyon", "France" },           { "Nîmes", "France" },
    { "Madrid", "Spain" },       { "Málaga", "Spain" },    { "Lisboa", "Portugal" },       { "Porto", "Portugal" },
    { "Milano", "Italy" },       { "Torino", "Italy" },    { "Amsterdam", "Netherlands" }, { "Utrecht", "Netherlands" },
    { "København", "Denmark" },  { "Aarhus", "Denmark" },  { "Stockholm", "Sweden" },      { "Malmö", "Sweden" },
    { "Göteborg", "Sweden" },    { "Kraków", "Poland" },   { "Gdańsk", "Poland" },         { "Praha", "Czechia" },
    { "Brno", "Czechia" },       { "Dublin", "Ireland" },
};

const char *const demo_supplier_names[10] = { "Nordlicht Handel", "Atelier Garonne", "Talleres Duero", "Fabbrica Adda",
                                              "Huta Wisła",       "Verkstad Vinga",  "Moravia Wood",   "Polder Trading",
                                              "Cerâmica Douro",   "Alpenholz" };
const char *const demo_supplier_forms[4] = { "Works", "Group", "& Co", "Export" };
const char *const demo_reasons[5] = { "damaged", "wrong item", "changed my mind", "too small", "late delivery" };
const char *const demo_comments[5][4] = {
    { "Broke after a week.", "Not as described.", "Very disappointed.", "Arrived damaged." },
    { "Feels cheap.", "Too small for me.", "Slow delivery.", "Colour is off." },
    { "It is okay.", "Does the job.", "Average quality.", "Good, but dear." },
    { "Good value.", "Solid and pretty.", "Très bien.", "Works well." },
    { "Excellent!", "Love it.", "Schön und robust.", "Would buy again." },
};
