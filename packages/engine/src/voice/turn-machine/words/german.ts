import { parseWordList } from './word-list.ts'

export const GERMAN = parseWordList({
  backchannels:
    'mhm|hm|hmm|mm|aha|ah|ach so|achso|ja|jo|jaja|ja ja|okay|ok|gut|genau|klar|alles klar|verstehe|ich verstehe|stimmt|richtig|schön|super|prima|natürlich|sicher|ach|oh|interessant|weiß ich|danke|vielen dank|danke schön|perfekt|absolut|definitiv|auf jeden fall|echt|ach echt|wirklich|ach wirklich|oh wirklich|das ergibt sinn|macht sinn|logisch|verstanden|sehr gut|sehr schön|wunderbar|toll|großartig|spannend|kein problem|keine sorge|in ordnung|okay gut|ja klar|ja genau|ja gut|eigentlich ja|eben|stimmt ja|na klar|passt',
  commands:
    'stopp|stop|halt|warte|warten sie|moment|einen moment|einen augenblick|moment mal|sekunde|nein|nee|nicht|entschuldigung|entschuldigen sie|ruhe|hören sie|hör auf|eigentlich|quatsch|abbrechen',
  fillers: 'äh|ähm|öh|öhm|hm|hmm|also|na ja|naja|tja|sozusagen|quasi|mal sehen|moment|irgendwie',
  trailingWords:
    'und|oder|aber|weil|denn|wenn|dass|ob|als|wie|ohne|für|zum|zur|von|vom|in|im|am|bei|beim|der|die|das|den|dem|des|ein|eine|einen|einem|einer|mein|meine|meinen|meiner|ich|wir|dann|und dann|zwischen|bis|damit|obwohl|falls|sondern',
  questionStarts:
    'was|wann|wo|wer|wen|wem|wessen|warum|wieso|weshalb|wie|welche|welcher|welches|woher|wohin|kann|können|könnten|könnte|darf|dürfte|ist|sind|war|haben|hat|gibt|geht|muss|soll|würden|machen',
  requestStarts:
    'bitte|sagen|sag|geben|gib|zeigen|zeig|schicken|schick|senden|buchen|stornieren|prüfen|ändern|wiederholen|erklären|verbinden|helfen|rufen|suchen|lesen|nehmen|machen',
  shortAnswers:
    'ja|nein|nee|doch|klar|okay|ok|genau|richtig|stimmt|gern|gerne|ja bitte|nein danke|bitte|danke|keine ahnung|nichts|das war alles|das wars|tschüss|auf wiederhören',
  numbers:
    'null|eins|ein|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|dreizehn|vierzehn|fünfzehn|sechzehn|siebzehn|achtzehn|neunzehn|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig|hundert|tausend|doppel|plus|erster|ersten|erste|zweiter|zweiten|dritter|dritten|vierten|fünften|sechsten|siebten|achten|neunten|zehnten',
  months: 'januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember',
  days: 'heute|morgen|übermorgen|gestern|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag',
  atWords: 'at|ät|klammeraffe',
  dotWords: 'punkt|dot',
  answerCues: {
    phone: 'telefonnummer|rufnummer|handynummer|mobilnummer|zurückrufen|nummer erreichen',
    date: 'datum|geburtstag|geboren|welchem tag|welcher tag|welchen tag|wann haben sie geburtstag',
    email: 'e-mail|email|mailadresse',
    spelling: 'buchstabieren|buchstabiere',
    number: 'nummer|postleitzahl|code|ziffern|pin',
  },
  phrases: {
    fillers: 'Einen Moment.|Da muss ich kurz überlegen.|Mal sehen.|Augenblick.',
    toolFillers:
      'Einen Moment, bitte.|Ich bin noch dabei.|Es dauert noch ein wenig, bleiben Sie bitte dran.|Danke für Ihre Geduld, gleich habe ich es.',
    fallback: 'Entschuldigung, das konnte ich gerade nicht beantworten. Können Sie es noch einmal sagen?',
    backchannels: 'Mhm.|Verstehe.|Okay.',
    notUnderstood: 'Entschuldigung, das habe ich nicht verstanden.',
  },
})
