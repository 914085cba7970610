import { parseWordList } from './word-list.ts'

export const DUTCH = parseWordList({
  backchannels:
    'mhm|mm|hm|hmm|ja|jaja|ja ja|oké|oke|ok|okay|goed|prima|juist|precies|klopt|inderdaad|duidelijk|snap ik|ik snap het|begrijp ik|ik begrijp het|natuurlijk|zeker|ah|aha|oh|mooi|fijn|leuk|ach|bedankt|dank je|dank u|dank je wel|perfect|absoluut|logisch|dat klopt|dat is logisch|echt|oh echt|ach echt|echt waar|oh ja|geweldig|uitstekend|interessant|zeker weten|geen probleem|maakt niet uit|heel goed|heel mooi|ja hoor|ja precies|ja klopt|eigenlijk wel|begrepen|helder|top|super|tuurlijk',
  commands:
    'stop|wacht|wacht even|wacht eens|moment|momentje|een moment|even|een seconde|nee|niet|eigenlijk|sorry|pardon|stil|luister|hou op|laat maar|annuleer|ho',
  fillers: 'eh|ehm|uh|uhm|hm|nou|nou ja|tja|dus|zeg maar|even kijken|eens kijken|weet je|gewoon',
  trailingWords:
    'en|of|maar|omdat|want|als|wie|waar|wanneer|hoe|met|zonder|voor|naar|van|bij|tot|de|het|een|mijn|uw|jouw|ons|onze|hun|ik|wij|we|dan|en dan|tussen|tegen|hoewel|tenzij|zodat',
  questionStarts:
    'wat|wanneer|waar|wie|waarom|hoe|hoeveel|welk|welke|waarheen|waarvoor|kan|kunt|kun|zou|mag|is|zijn|heb|hebt|heeft|gaat|moet|wil|wilt|bent|ben',
  requestStarts:
    'graag|alstublieft|zeg|geef|toon|stuur|boek|annuleer|controleer|verander|herhaal|leg|help|bel|verbind|zoek|lees|zet|neem|maak|doe',
  shortAnswers:
    'ja|nee|jawel|zeker|oké|oke|ok|klopt|precies|juist|graag|ja graag|nee dank u|nee bedankt|dank u|bedankt|weet ik niet|niets|dat was het|dat is alles|dag|doei|tot ziens',
  numbers:
    'nul|een|één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien|vijftien|zestien|zeventien|achttien|negentien|twintig|dertig|veertig|vijftig|zestig|zeventig|tachtig|negentig|honderd|duizend|dubbel|plus|eerste|tweede|derde|vierde|vijfde',
  months: 'januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december',
  days: 'vandaag|morgen|overmorgen|gisteren|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag',
  atWords: 'apenstaartje|at',
  dotWords: 'punt',
  answerCues: {
    phone: 'telefoonnummer|mobiele nummer|mobiel nummer|terugbellen|bereiken',
    date: 'welke datum|geboortedatum|welke dag|verjaardag|geboren',
    email: 'e-mail|email|mailadres',
    spelling: 'spellen|spelt u',
    number: 'nummer|postcode|code|cijfers',
  },
  phrases: {
    fillers: 'Een moment.|Even denken.|Eens kijken.|Momentje.',
    toolFillers:
      'Een moment, alstublieft.|Ik ben er nog mee bezig.|Het duurt iets langer, blijft u aan de lijn.|Dank u voor het wachten, ik ben er bijna.',
    fallback: 'Sorry, ik kon daar net geen antwoord op geven. Kunt u het nog eens zeggen?',
    backchannels: 'Mhm.|Ik snap het.|Oké.',
    notUnderstood: 'Sorry, dat heb ik niet verstaan.',
  },
})
