# What a package of R shows of the first two rows of columns: see scripts/readers.
#
# usage: Rscript r.R READER FILE GROUP COLUMN...

arguments <- commandArgs(trailingOnly = TRUE)
reader <- arguments[1]
file <- arguments[2]
group <- arguments[3]
columns <- arguments[-(1:3)]

suppressWarnings(suppressMessages(library(reader, character.only = TRUE)))
cat("version\t", as.character(packageVersion(reader)), "\n", sep = "")

read <- list(
    rhdf5 = function(name) h5read(file, paste0("/", group, "/", name)),
    hdf5r = function(name) {
        opened <- H5File$new(file, mode = "r")
        opened[[paste0("/", group, "/", name)]][]
    }
)[[reader]]

# A row: of a matrix along its longer dimension, of a data frame a row, else an item.
row_of <- function(values, i) {
    if (is.data.frame(values)) {
        row <- values[i, , drop = FALSE]
        paste(names(row), vapply(row, function(x) text(x), ""), sep = "=", collapse = " ")
    } else if (length(dim(values)) == 2) {
        text(if (dim(values)[1] > dim(values)[2]) values[i, ] else values[, i])
    } else {
        text(values[[i]])
    }
}
text <- function(value) {
    if (is.list(value)) value <- unlist(value)
    paste(format(value, digits = 17, trim = TRUE), collapse = " ")
}

for (name in columns) {
    line <- tryCatch({
        values <- suppressWarnings(suppressMessages(read(name)))
        if (is.null(values)) stop("nothing is read")
        paste(name, row_of(values, 1), row_of(values, 2), sep = "\t")
    }, error = function(e) {
        paste(name, "!", gsub("[[:space:]]+", " ", conditionMessage(e)), sep = "\t")
    })
    cat(line, "\n", sep = "")
}
