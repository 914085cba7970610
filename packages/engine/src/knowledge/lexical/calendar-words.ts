/** Alternatives of regular expressions, over texts in lower case and without marks; English, German, French, Spanish, Italian, Dutch. */
function alternatives(list: string): string {
  return list.trim().split(/\s+/).join('|')
}

/** Days of the week, and those that are not like others. */
export const WEEKDAYS = alternatives(`
  mondays? tuesdays? wednesdays? thursdays? fridays? saturdays? sundays? weekdays? weekends? holidays?
  montags? dienstags? mittwochs? donnerstags? freitags? samstags? sonnabends? sonntags? werktags? feiertags? wochenende
  lundis? mardis? mercredis? jeudis? vendredis? samedis? dimanches? week-end feries?
  lunes martes miercoles jueves viernes sabados? domingos? festivos
  lunedi martedi mercoledi giovedi venerdi sabato domenica festivi
  maandag dinsdag woensdag donderdag vrijdag zaterdag zondag`)

/** Months whose names are nothing else: neither the verb `may` nor the planet `mars`. */
export const MONTHS = alternatives(`
  january february april june july august september october november december
  januar februar marz mai juni juli oktober dezember
  janvier fevrier avril juin juillet aout septembre octobre novembre decembre
  enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
  gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
  januari februari maart mei augustus`)

/** Numbers in digits, and those that people write as words. */
export const NUMBERS = `\\d{1,6}(?:[.,]\\d{1,2})?|${alternatives(`
  an? one two three four five six seven eight nine ten twelve half quarter few several
  ein eine einem einen einer zwei drei vier funf sechs sieben acht neun zehn zwolf
  une? deux trois quatre cinq sept huit neuf dix douze
  un[ao]? dos tres cuatro cinco seis siete ocho nueve diez doce
  due tre quattro cinque sei sette otto nove dieci
  een twee drie vijf zes zeven negen tien`)}`
