import { parseWordList } from './word-list.ts'

export const FRENCH = parseWordList({
  backchannels:
    "mhm|mm|hm|hmm|oui|ouais|d'accord|ok|okay|ah|ah oui|ah bon|bien|très bien|bien sûr|je vois|je comprends|c'est ça|exact|exactement|voilà|parfait|super|entendu|oh|en effet|tout à fait|merci|merci beaucoup|absolument|logique|c'est logique|vraiment|ah vraiment|oh vraiment|ah d'accord|génial|formidable|excellent|intéressant|certainement|compris|pas de problème|pas de souci|ça marche|c'est vrai|très bien merci|oui oui|mais oui|en fait oui|ok merci|tout à fait oui|carrément|effectivement",
  commands:
    'stop|arrêtez|arrête|attendez|attends|un moment|un instant|une seconde|une minute|non|en fait|pardon|excusez moi|excuse moi|silence|taisez vous|écoutez|laissez tomber|annulez',
  fillers: 'euh|heu|hum|ben|bah|alors|enfin|voyons|disons|comment dire|genre|tu vois|vous voyez|donc',
  trailingWords:
    "et|ou|mais|parce que|car|si|quand|que|qui|dont|où|comme|avec|sans|pour|à|au|aux|de|du|des|en|dans|sur|sous|chez|par|vers|le|la|les|un|une|l'|d'|mon|ma|mes|votre|vos|son|sa|ses|notre|nos|leur|cette|ces|je|j'|et puis|puis|entre|jusqu'à|donc",
  questionStarts:
    "que|quoi|qu'est ce|quand|où|qui|pourquoi|comment|combien|quel|quelle|quels|quelles|est ce|est|pouvez|peut|pourriez|avez|êtes|puis je|y a t il|c'est",
  requestStarts:
    "s'il|dites|dis|donnez|donne|montrez|envoyez|réservez|annulez|vérifiez|changez|répétez|expliquez|aidez|appelez|passez|cherchez|lisez|prenez",
  shortAnswers:
    "oui|non|ouais|si|d'accord|ok|okay|exact|exactement|bien sûr|oui merci|non merci|merci|s'il vous plaît|je ne sais pas|rien|c'est tout|au revoir",
  numbers:
    'zéro|un|une|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante|cent|mille|double|plus|premier|deuxième|troisième',
  months: 'janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre',
  days: "aujourd'hui|demain|hier|après demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche",
  atWords: 'arobase|at',
  dotWords: 'point',
  answerCues: {
    phone: 'numéro de téléphone|numéro de portable|vous rappeler|vous joindre',
    date: 'quelle date|date de naissance|quel jour|anniversaire|né le|née le',
    email: 'e-mail|email|adresse mail|courriel',
    spelling: 'épeler|épelez',
    number: 'numéro|code|chiffres',
  },
  phrases: {
    fillers: 'Un instant.|Voyons voir.|Laissez-moi réfléchir.|Une seconde.',
    toolFillers:
      "Un instant, s'il vous plaît.|Je suis encore dessus.|Cela prend un peu plus de temps, restez en ligne.|Merci de patienter, j'y suis presque.",
    fallback: "Désolé, je n'ai pas pu répondre. Pouvez-vous répéter ?",
    backchannels: 'Mhm.|Je vois.|Oui.',
    notUnderstood: "Pardon, je n'ai pas compris.",
  },
})
