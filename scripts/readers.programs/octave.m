% What Octave shows of the first two rows of columns: see scripts/readers.
%
% usage: octave --no-gui octave.m octave FILE GROUP COLUMN...

1; % a script, not a function

function words = text_of(value)
  if iscell(value)
    value = value{1};
  end
  if ischar(value)
    words = value;
  elseif isstruct(value)
    words = strjoin(cellfun(@(n) [n "=" text_of(value.(n))], fieldnames(value), "UniformOutput", false)', " ");
  elseif isreal(value) && isinteger(value)
    words = num2str(value(:)', "%d ");
  else
    words = num2str(value(:)', "%.17g ");
  end
  words = strtrim(words);
end

function words = row_of(values, i)
  if ischar(values)
    words = values(i, :);
  elseif iscell(values)
    words = text_of(values{i});
  elseif isstruct(values) && numel(values) == 1
    words = text_of(structfun(@(v) v(i), values, "UniformOutput", false));
  elseif isvector(values) || isstruct(values)
    words = text_of(values(i));
  else
    words = text_of(values(:, i));
  end
end

given = argv();
printf("version\t%s\n", version());
all_of = struct();
why = "";
try
  all_of = load("-hdf5", given{2});
catch failure
  why = failure.message;
end
for i = 4:numel(given)
  name = given{i};
  try
    if ! isempty(why)
      error(why);
    end
    values = all_of.(given{3});
    for part = strsplit(name, "/")
      values = values.(part{1});
    end
    printf("%s\t%s\t%s\n", name, row_of(values, 1), row_of(values, 2));
  catch failure
    printf("%s\t!\t%s\n", name, strjoin(strsplit(failure.message), " "));
  end
end
