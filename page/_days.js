// Dates as days since 1970-01-01: as people write them, and as they are shown.

const YEAR_ALONE = /^[12]\d{3}$/, DAY = 86400000, COUNTED = "-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?";
const DAYS_SHOWN = new RegExp(`^(?:${COUNTED}|[[(](?:${COUNTED}|-inf), (?:${COUNTED}|inf)[\\])])$`);
const NUMERAL = new RegExp(`${DAYS_SHOWN.source}|^\\{${COUNTED}(?:, ${COUNTED})*\\}$`);

function dayOf(year, month, day) {
  // The days to a date; null where there is none.
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  const real = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return real ? date.getTime() / DAY : null;
}

function daysRead(word) {
  // The days that a text may mean, by the part of it that stands first.
  const plain = stripped(plainDigits(word)).replace(PARTLY.midnight, ""), year = WHOLLY.year_first.exec(plain);
  const [, first, mark, next, last] = WHOLLY.year_last.exec(plain) ?? [];
  const found = year ? { year: dayOf(+year[1], +year[3], +year[4]) } : {
    ...(first && { day: dayOf(+last, +next, +first) }),
    ...(first && mark !== "." && { month: dayOf(+last, +first, +next) }),
  };
  return Object.fromEntries(Object.entries(found).filter(([, days]) => days !== null));
}

function yearsRead(word) {
  // The years of the dates that a text may mean, however they are written.
  const plain = stripped(plainDigits(word)), days = Object.values(daysRead(plain));
  if (days.length) return days.map((one) => dateText(one).slice(0, 4)).sort();
  const [, year, month, day] = WHOLLY.year_joined.exec(plain) ?? [], [, , short] = WHOLLY.year_short.exec(plain) ?? [];
  if (year && dayOf(+year, +month, +day) !== null) return [year];
  if (short) return [`${+short >= 69 ? 19 : 20}${short}`];  // as POSIX reads two digits
  const years = plain.match(PARTLY.four_digits) ?? [];
  return years.length === 1 && partlyFits(plain, PARTLY.few_digits) ? years : [];
}

function datesShown(name) {
  // Days, and ranges of them, as the dates they stand for; any other name as it is.
  if (!DAYS_SHOWN.test(name)) return name;
  return name.replace(new RegExp(COUNTED, "g"), (days) => dateText(Number(days)));
}

function dateWords(text) {
  // A date, or a range of them, with the names of months; any other text as it is.
  if (!WHOLLY.of_dates.test(text)) return text;
  const { date, months, "first-day": first } = DATA.speech, names = months.split(" ");
  return text.replace(PARTLY.date, (_, year, month, day) => {
    const told = { day: day === "01" ? first : String(+day), month: names[month - 1], year: String(+year) };
    return date.replace(/\{(\w+)\}/g, (_, name) => told[name]);
  });
}

function monthRead(word) {
  // A date whose month has its name, or the first letters of it, in digits; else the text.
  const [, first, given, year] = WHOLLY.day_named.exec(word) ?? [], [, name = given, day = first, last = year] = WHOLLY.month_named.exec(word) ?? [];
  if (!name) return word;
  const fits = DATA.speech.months.toLowerCase().split(" ").flatMap((month, at) => (month.startsWith(name.toLowerCase()) ? [at + 1] : []));
  return fits.length === 1 ? `${last}-${fits[0]}-${day}` : word;
}

function dateText(days) {
  // A number of days as the date it stands for; beyond all calendars the days themselves.
  const date = new Date(even(days) * DAY), year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return `${fixed(days, 0, false)} days`;
  return `${String(year).padStart(4, "0")}${date.toISOString().slice(-20, -14)}`;
}
