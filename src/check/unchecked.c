/*
 * The sentences of HEP001 that no file can break, and why.
 *
 * These complement the rule table (rules.h). Each sentence is about a program, or about a meaning
 * that a file does not show, or it permits something. Sentences that a rule covers in part are
 * listed with the rest.
 */
#include <stoa/check.h>

#define READER "it is about programs that read, not about files"
#define WRITER "it is about how a file comes to be; what results is checked"

/* The level of a sentence without a keyword is "definition". */
#define SENTENCE(section, level, object, sentence, reason)                                         \
    {                                                                                              \
        NULL, section, level, "never", object, sentence, reason                                    \
    }

static const stoa_rule_info unchecked[] = {
    SENTENCE("5", "MAY", "consumer",
             "a consumer may reject a reference attribute that is not of H5T_STD_REF", READER),
    SENTENCE("6", "definition", "consumer", "a boolean is true where its stored value is 1",
             READER),
    SENTENCE("7.1", "MUST", "consumer",
             "a group is a table by, and only by, a CLASS whose text is COLUMN_TABLE", READER),
    SENTENCE("7.1", "MUST NOT", "producer",
             "CLASS says COLUMN_TABLE on no group that breaks the rest of the specification",
             "kept where every rule is kept"),
    SENTENCE("7.2", "MUST", "consumer",
             "versions are compared as numbers, and a later MAJOR is refused", READER),
    SENTENCE("7.2", "MAY", "consumer", "an absent PATCH may be read as 0", READER),
    SENTENCE("7.3", "MUST", "producer", "NROWS is the number of rows that are in the table",
             "the file holds no second count to compare it with; that every column has as many "
             "is checked"),
    SENTENCE("7.3", "MUST", "consumer",
             "the number of rows is read from NROWS and never inferred from an extent", READER),
    SENTENCE("7.4", "MAY", "producer",
             "TITLE, description and encoding-* are optional, and bind no program",
             "nothing can break it; their form is checked"),
    SENTENCE("7.4", "definition", "consumer",
             "column-order determines the order of the columns that users see", READER),
    SENTENCE("7.4", "definition", "consumer",
             "units_vocabulary of the table stands in for a column that has none", READER),
    SENTENCE("7.5", "MAY", "producer", "a table may lie anywhere in the file, the root included",
             "nothing can break it"),
    SENTENCE("7.6", "MUST", "producer",
             "every descendant of a table exists solely in service of it",
             "what an object is for cannot be seen; where it lies is checked"),
    SENTENCE("7.6", "MUST", "producer",
             "what is not the table's lies beside it or elsewhere in the file",
             "where it should lie cannot be seen; that it is not below the table is checked"),
    SENTENCE("7.6", "SHOULD", "consumer",
             "a descendant that is not described is diagnosed; strict consumers may refuse the "
             "table, lenient ones ignore the descendant",
             READER),
    SENTENCE("7.6", "MAY", "consumer", "a table may be copied, moved or deleted as a unit", READER),
    SENTENCE("8.1", "MUST", "producer", "a column is stored as a dataset",
             "a column that is stored in another way is not seen; what else lies below a table "
             "is checked"),
    SENTENCE("8.2", "definition", "consumer",
             "the columns are the datasets of rank 1 directly below the table", READER),
    SENTENCE(
        "8.3", "MUST", "producer", "the fields of a compound column are logically atomic",
        "only the meaning of a field says so; nested ones are remarked on (8.3-COMPOUND-ATOMIC)"),
    SENTENCE("8.3", "SHOULD", "producer",
             "fixed-length datatypes are preferred where they are possible",
             "whether they were possible cannot be seen; others are remarked on (8.3-VLEN)"),
    SENTENCE("8.3", "SHOULD", "consumer", "a datatype that is not recognised is exposed as it is",
             READER),
    SENTENCE("8.4", "MUST NOT", "producer",
             "columns are not required to share a chunk shape or filters",
             "it forbids a requirement, not a layout"),
    SENTENCE("8.4", "MUST", "consumer", "each column's storage layout is treated on its own",
             READER),
    SENTENCE("8.5", "MUST", "producer", "the fill value lies outside the column's logical range",
             "only a declared range can be seen (8.5-FILL-IN-RANGE)"),
    SENTENCE("8.5", "MUST", "producer",
             "a column whose domain includes the recommended fill value chooses another and "
             "declares its range",
             "a domain cannot be seen; that it holds the value is checked (8.5-OVERRIDE-RANGE)"),
    SENTENCE("8.5", "MUST", "producer", "booleans are widened to uint8 with a fill value above 1",
             "a uint8 column does not say that it holds booleans; 1-bit columns are found "
             "(8.5-BOOL-WIDEN)"),
    SENTENCE("8.5", "MUST", "consumer",
             "missing rows are found by the canonical test, with isnan() for a NaN fill value",
             READER),
    SENTENCE(
        "8.6", "definition", "consumer",
        "a column without units is dimensionless; its own units_vocabulary overrides the table's",
        READER),
    SENTENCE("8.7", "MUST", "producer",
             "ordered is true exactly where the order of the categories has a meaning",
             "a meaning cannot be seen"),
    SENTENCE("8.7", "MAY", "producer", "several columns may share a categories dataset",
             "nothing can break it"),
    SENTENCE("9", "SHOULD", "producer", "row index columns appear in column-order",
             "included in 12-COLUMN-ORDER-MISSING, which is a MUST"),
    SENTENCE("9.2", "MUST", "consumer", "an empty INDEX_COLUMNS means the same as none", READER),
    SENTENCE("10", "MAY", "consumer", "any search index may be ignored; answers stay correct",
             READER),
    SENTENCE("10.2", "MUST", "producer",
             "a column references every search index that it benefits from",
             "an index does not name its column; one that no column references is found "
             "(10.2-REFERENCED)"),
    SENTENCE("10.2", "definition", "consumer",
             "the column of an index is the one whose SEARCH_INDEX_LIST references it", READER),
    SENTENCE("10.3", "SHOULD", "producer",
             "description records when, by what and how an index was made",
             "it is free text; that it is there is checked (10.3-DESCRIPTION)"),
    SENTENCE("10.3", "MUST", "consumer", "an index of an unknown KIND is ignored", READER),
    SENTENCE("10.3", "MAY", "consumer", "description may be ignored in queries", READER),
    SENTENCE("10.4", "MAY", "consumer",
             "fill_count alone may be taken for the number of missing rows", READER),
    SENTENCE("10.6", "definition", "producer",
             "ordered is true where the order of the values has a meaning",
             "a meaning cannot be seen"),
    SENTENCE("10.6", "MUST NOT", "consumer",
             "no order is inferred from values whose ordered is false or absent", READER),
    SENTENCE("10.7", "MUST", "consumer",
             "a query's value is brought into the canonical form before it is hashed", READER),
    SENTENCE("10.7", "MUST NOT", "consumer", "a filter is not asked for NaN", READER),
    SENTENCE("10.7", "MUST", "consumer", "the seed is read from the attribute", READER),
    SENTENCE("10.7", "MAY", "producer", "the seed may be any number", "nothing can break it"),
    SENTENCE("11.1", "MUST", "consumer",
             "rows and index entries past NROWS are ignored, whatever they hold", READER),
    SENTENCE("11.2", "MUST", "producer",
             "an append extends the columns, writes rows, updates indexes and commits NROWS, "
             "in this order",
             WRITER),
    SENTENCE("11.2", "MUST", "producer",
             "an index that cannot be updated is deleted, reference and all, before the commit",
             WRITER),
    SENTENCE("11.2", "SHOULD", "producer",
             "the commit is flushed before the append is reported as complete", WRITER),
    SENTENCE("11.2", "MUST", "producer",
             "a producer that requires durability flushes after step 4 and after step 5", WRITER),
    SENTENCE("11.2", "SHOULD", "producer",
             "who retries an append overwrites the unused tail or extends further", WRITER),
    SENTENCE("11.3", "MAY", "producer", "columns may be extended past NROWS",
             "nothing can break it"),
    SENTENCE("11.3", "SHOULD", "producer",
             "columns have equal extents after each operation that preallocates",
             "of a file at rest it is a MUST (12-EXTENT-EQUAL)"),
    SENTENCE("11.4", "MUST", "producer",
             "who reclaims the space of a truncated table rewrites its columns", WRITER),
    SENTENCE("11.4", "MUST", "producer",
             "a truncation updates or deletes every affected index before it commits NROWS",
             WRITER),
    SENTENCE("11.5", "MUST", "producer",
             "an in-place update updates every affected index, or deletes it first", WRITER),
    SENTENCE("11.5", "MUST", "producer",
             "who requires atomic updates in place arranges them outside HDF5", WRITER),
    SENTENCE("12", "MUST", "consumer", "index entries past NROWS are ignored", READER),
    SENTENCE("12", "MUST", "producer", "every mutation follows §11", WRITER),
    SENTENCE("13.1", "MUST", "specification",
             "names that the specification introduces are upper-case ASCII with underscores",
             "it binds the specification itself; attributes whose names nearly are its names "
             "are remarked on (13.1-CASE)"),
    SENTENCE("13.1", "MUST", "specification",
             "descriptive and value-domain attributes are lower-case",
             "it binds the specification itself, as above"),
    SENTENCE("13.1", "MUST", "specification", "future annotation attributes are lower-case too",
             "it binds later revisions"),
    SENTENCE("13.1", "definition", "producer",
             "attributes private to an index family are written in snake_case",
             "they cannot be told from a user's own attributes, which may have any name"),
    SENTENCE(
        "13.3", "MUST NOT", "producer",
        "names shared with Anndata keep the meaning that Anndata gives them",
        "a meaning cannot be seen; names where they have none are remarked on (13.3-REPURPOSED)"),
    SENTENCE("16", "MUST NOT", "consumer", "an index is not trusted by default", READER),
    SENTENCE("16", "SHOULD", "consumer", "a mode verifies indexes or ignores them", READER),
    SENTENCE("16", "SHOULD", "producer", "the provenance of indexes is documented where it matters",
             "whether it matters to a user cannot be seen (see 10.3-DESCRIPTION)"),
};

const stoa_rule_info *stoa_check_unchecked(size_t i)
{
    return i < sizeof unchecked / sizeof unchecked[0] ? &unchecked[i] : NULL;
}
