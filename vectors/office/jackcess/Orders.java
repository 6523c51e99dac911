import com.healthmarketscience.jackcess.Column;
import com.healthmarketscience.jackcess.ColumnBuilder;
import com.healthmarketscience.jackcess.DataType;
import com.healthmarketscience.jackcess.Database;
import com.healthmarketscience.jackcess.DatabaseBuilder;
import com.healthmarketscience.jackcess.Row;
import com.healthmarketscience.jackcess.Table;
import com.healthmarketscience.jackcess.TableBuilder;
import com.healthmarketscience.jackcess.crypt.CryptCodecProvider;
import java.io.File;

/**
 * Orders create FILE; Orders append FILE PASSWORD; Orders read FILE PASSWORD: a database of Access
 * with a table of 100 rows, 100 rows more, and what the table holds.
 */
public class Orders {
    public static void main(String[] arguments) throws Exception {
        File file = new File(arguments[1]);
        if (arguments[0].equals("create")) {
            boolean is2007 = file.getName().endsWith(".accdb");
            Database.FileFormat format = is2007 ? Database.FileFormat.V2007 : Database.FileFormat.V2000;
            try (Database database = new DatabaseBuilder(file).setFileFormat(format).create()) {
                Table table = new TableBuilder("Orders")
                    .addColumn(new ColumnBuilder("ID", DataType.LONG).setAutoNumber(true))
                    .addColumn(new ColumnBuilder("Text", DataType.TEXT))
                    .toTable(database);
                add(table, 1);
            }
            return;
        }
        boolean reads = arguments[0].equals("read");
        try (Database database = new DatabaseBuilder(file).setReadOnly(reads)
                .setCodecProvider(new CryptCodecProvider(arguments[2])).open()) {
            Table table = database.getTable("Orders");
            if (!reads) {
                add(table, 101);
            }
            for (Row row : table) {
                System.out.println(row.getInt("ID") + "," + row.getString("Text"));
            }
            System.out.println("password " + database.getDatabasePassword());
        }
    }

    private static void add(Table table, int first) throws Exception {
        for (int n = first; n < first + 100; n++) {
            table.addRow(Column.AUTO_NUMBER, "Attack at dawn, row " + n);
        }
    }
}
