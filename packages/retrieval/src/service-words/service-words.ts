import { LIFE_WORDS, VISIT_WORDS } from './life-words.ts'

/** Devices, software, documents and insurance, in the format of `readServiceWords`. */
const DEVICE_WORDS = `
  guarantee warranty garantee guaranteed | garantie gewährleistung | garantie | garantía | garanzia | garantie ;
  broken smashed defective fault damage damaged repair fix fail failure malfunction mend | kaputt defekt schaden
    beschädigt reparieren reparatur störung | cassé défectueux panne dommage réparer réparation abîmé | roto
    defectuoso avería daño reparar reparación | rotto difettoso guasto danno riparare riparazione | kapot defect
    storing schade repareren reparatie ;
  error code message problem trouble wrong bug warning issue | fehler fehlermeldung fehlercode problem störung
    meldung | erreur code message problème panne | error código mensaje problema fallo | errore codice messaggio
    problema | fout foutmelding foutcode probleem ;
  solve remedy solution fix resolve help | lösen lösung beheben abhilfe hilfe | résoudre solution remède aide |
    resolver solución remedio ayuda | risolvere soluzione rimedio aiuto | oplossen oplossing hulp ;
  maintain maintenance service inspection check-up servicing overhaul | wartung warten inspektion service
    instandhaltung | entretien maintenance révision | mantenimiento revisión servicio | manutenzione revisione
    tagliando | onderhoud inspectie service ;
  clean cleaning wash rinse hygiene dirty | reinigen reinigung putzen waschen spülen sauber | nettoyer nettoyage
    laver propre rincer ménage | limpiar limpieza lavar enjuagar | pulire pulizia lavare sciacquare | schoonmaken
    reinigen wassen schoon ;
  laundry washing machine dryer detergent soap powder washing-up | wäsche waschmaschine trockner waschmittel |
    lessive linge laver séchoir machine | lavadora colada secadora detergente | lavatrice bucato asciugatrice
    detersivo | wasmachine droger wasmiddel ;
  water leak flood flooding pipe drip | wasser leck überschwemmung rohr undicht | eau fuite inondation tuyau | agua
    fuga inundación tubería | acqua perdita allagamento tubo | water lek overstroming leiding ;
  heating heat warm cold cool air-conditioning temperature climate | heizung warm kalt klimaanlage temperatur kühlen
    heizen | chauffage chaud froid climatisation température | calefacción calor frío aire climatización temperatura
    | riscaldamento caldo freddo climatizzazione temperatura | verwarming warm koud airco temperatuur ;
  power electricity energy current consumption watt | strom energie verbrauch elektrizität leistung | électricité
    énergie courant consommation | electricidad energía corriente consumo luz | elettricità energia corrente consumo
    | stroom energie elektriciteit verbruik ;
  install installation set-up setup assemble mount connect | installieren installation aufbau montieren anschließen
    einrichten | installer installation monter brancher | instalar instalación montar conectar | installare
    installazione montare collegare | installeren installatie monteren aansluiten ;
  switch turn activate enable disable button on-off | einschalten ausschalten aktivieren schalter taste knopf |
    allumer éteindre activer bouton | encender apagar activar botón | accendere spegnere attivare pulsante |
    aanzetten uitzetten activeren knop ;
  button key press touch control | taste knopf drücken bedienung | bouton touche appuyer | botón tecla pulsar |
    pulsante tasto premere | knop toets drukken ;
  filter strainer sieve coin coins fluff lint | filter sieb flusen | filtre | filtro | filtro | filter zeef ;
  limescale descale descaling calcium | kalk entkalken entkalkung verkalkt | calcaire détartrer détartrage | cal
    descalcificar | calcare decalcificare | kalk ontkalken ;
  update upgrade version newest latest release | aktualisieren update version neueste aktualisierung | version
    actualiser | actualizar actualización versión | aggiornare aggiornamento versione | updaten bijwerken versie ;
  backup restore recover copy save lost | sicherung wiederherstellen sichern backup kopie | sauvegarde restaurer
    récupérer copie | copia restaurar recuperar respaldo | backup ripristinare recuperare copia | back-up herstellen
    kopie ;
  export download save import file format type | exportieren herunterladen datei format speichern importieren |
    exporter télécharger fichier format enregistrer | exportar descargar archivo formato guardar | esportare
    scaricare file formato salvare | exporteren downloaden bestand formaat opslaan ;
  program programme software application app desktop | programm software anwendung app | logiciel programme
    application | programa aplicación software | programma software applicazione | programma software applicatie ;
  user seat role permission colleague access rights | benutzer nutzer rolle rechte berechtigung | utilisateur rôle
    droit autorisation | usuario rol permiso derecho | utente ruolo permesso | gebruiker rol rechten ;
  setting option configure preference configuration profile | einstellung option konfigurieren profil | réglage
    option paramètre profil | ajuste opción configuración perfil | impostazione opzione profilo | instelling optie
    profiel ;
  security secure protection safe factor authentication | sicherheit schutz sicher faktor authentifizierung |
    sécurité protection sûr authentification | seguridad protección seguro autenticación | sicurezza protezione
    sicuro autenticazione | veiligheid beveiliging veilig ;
  privacy personal data gdpr confidential | datenschutz persönlich dsgvo vertraulich | confidentialité données
    personnelles rgpd | privacidad datos personales | privacy dati personali riservatezza | privacy persoonlijk
    gegevens avg ;
  email e-mail mail inbox letter post write | email e-mail mail brief schreiben post | courriel e-mail mail lettre
    écrire courrier | correo email carta escribir | email posta lettera scrivere | e-mail mail brief schrijven ;
  address move moving relocate relocation | umzug umziehen ummelden adresse wohnsitz | déménager déménagement
    adresse | mudanza mudarse domicilio | trasloco trasferirsi residenza | verhuizen verhuizing adres ;
  document paper papers form certificate proof record file | dokument unterlagen formular bescheinigung nachweis
    urkunde | document papier formulaire certificat justificatif attestation | documento papel formulario
    certificado justificante | documento modulo certificato attestato | document formulier bewijs certificaat ;
  passport id identity identification | pass reisepass ausweis personalausweis | passeport identité carte |
    pasaporte dni identidad | passaporto identità carta | paspoort identiteit identiteitskaart ;
  visa permit licence license permission permitted | erlaubnis genehmigung visum lizenz führerschein | permis
    autorisation visa licence | permiso licencia visado autorización | permesso licenza visto autorizzazione |
    vergunning toestemming visum rijbewijs ;
  allow allowed permit forbid forbidden prohibited ban admitted | erlaubt dürfen verboten gestattet zugelassen
    untersagt | autorisé permis interdit admis | permitido prohibido permitir admitir | permesso vietato ammesso
    consentito | toegestaan verboden toegelaten ;
  require required need necessary mandatory must condition prerequisite requirement | erforderlich nötig notwendig
    voraussetzung benötigen pflicht | nécessaire exigé requis obligatoire condition | necesario requisito
    obligatorio requerido condición | necessario richiesto obbligatorio requisito | vereist nodig verplicht
    voorwaarde ;
  insurance insured insure policy cover coverage covered | versicherung versichert police deckung versichern |
    assurance assuré couvrir couverture police | seguro asegurado cobertura póliza | assicurazione assicurato
    copertura polizza | verzekering verzekerd dekking polis ;
  excess deductible retention own-risk loss share | selbstbeteiligung selbstbehalt eigenanteil | franchise |
    franquicia | franchigia | eigen-risico ;
  claim report damage compensation notify | schaden melden schadensmeldung meldung entschädigung | sinistre déclarer
    déclaration indemnité signaler | siniestro declarar indemnización | sinistro denunciare denuncia risarcimento |
    claim schade melden schademelding ;
  report inform notify tell announce | melden mitteilen informieren bescheid | signaler informer avertir prévenir |
    avisar informar comunicar notificar | informare avvisare comunicare segnalare | melden informeren doorgeven ;
  accident injury injured hurt crash emergency | unfall verletzung verletzt notfall | accident blessure blessé
    urgence | accidente lesión herido emergencia urgencia | incidente infortunio ferito emergenza | ongeval letsel
    gewond noodgeval ;
  fire smoke burn flame | feuer brand rauch | feu incendie fumée | fuego incendio humo | fuoco incendio fumo | brand
    vuur rook ;
  glass window pane windscreen mirror | glas fenster scheibe spiegel | verre vitre fenêtre glace | cristal vidrio
    ventana | vetro finestra | glas ruit raam ;
  storm weather rain snow wind hail | sturm wetter regen schnee wind hagel | tempête météo pluie neige vent |
    tormenta tiempo lluvia nieve viento | tempesta tempo pioggia neve vento | storm weer regen sneeuw wind ;
`

/** Prices, contracts, banking and telecommunication, in the format of `readServiceWords`. */
const BUSINESS_WORDS = `
  price cost fee charge rate tariff amount pricing expensive cheap payable | preis kosten gebühr tarif entgelt
    betrag beitrag teuer günstig | prix coût tarif frais montant coûter cher cotisation | precio coste costo tarifa
    importe costar cuota caro barato | prezzo costo tariffa costare importo quota caro | prijs kosten tarief bedrag
    duur goedkoop ;
  pay payment paid settle owe bill invoice charge debit | zahlen bezahlen zahlung begleichen rechnung abbuchung
    lastschrift | payer paiement régler facture prélèvement | pagar pago abonar factura cobrar | pagare pagamento
    fattura saldare addebito | betalen betaling rekening factuur ;
  free complimentary gratis nothing included waived | kostenlos gratis kostenfrei gebührenfrei inklusive inbegriffen
    | gratuit offert inclus compris | gratis gratuito incluido | gratis gratuito incluso compreso | gratis kosteloos
    inbegrepen ;
  instalment installment monthly rates spread | rate raten ratenzahlung monatlich | mensualité échelonner | plazo
    mensualidad mensual | rata rate mensile | termijn termijnen maandelijks ;
  discount reduction rebate cheaper saving voucher coupon promotion offer concession reduced | rabatt ermäßigung
    nachlass gutschein aktion vergünstigung | remise réduction rabais promotion bon | descuento rebaja promoción
    cupón | sconto riduzione promozione buono | korting aanbieding actie ;
  refund reimburse reimbursement repay moneyback return | erstatten rückerstattung erstattung rückzahlung zurück |
    rembourser remboursement | reembolso devolución devolver reembolsar | rimborso rimborsare restituire |
    terugbetaling terugbetalen vergoeding ;
  open opening hours close closing shut closed | offen öffnen geöffnet öffnungszeiten schließen geschlossen öffnung
    | ouvrir ouvert ouverture fermer fermé horaire fermeture | abrir abierto apertura cerrar cerrado horario cierre
    | aprire aperto apertura chiudere chiuso orario | openen open opening sluiten gesloten openingstijden ;
  cancel cancellation revoke withdraw annul void call-off cancelled | stornieren storno absagen widerrufen
    stornierung widerruf | annuler annulation révoquer | cancelar cancelación anular | annullare annullamento
    disdire cancellare | annuleren annulering herroepen ;
  terminate end notice quit cancel leave bound contract commitment term | kündigen kündigung beenden vertrag
    laufzeit vertragsende | résilier résiliation préavis terminer contrat engagement durée | rescindir baja preaviso
    contrato permanencia finalizar | disdire recesso preavviso contratto vincolo | opzeggen opzegging contract
    beëindigen looptijd ;
  contract agreement subscription plan membership member | vertrag abonnement mitgliedschaft mitglied abo | contrat
    abonnement adhésion membre | contrato suscripción abono socio membresía | contratto abbonamento iscrizione socio
    | contract abonnement lidmaatschap lid ;
  delete remove erase wipe deactivate close | löschen entfernen beseitigen | supprimer effacer enlever | borrar
    eliminar quitar | cancellare eliminare rimuovere | verwijderen wissen ;
  steal stolen theft thief burglary burglar rob robbery nicked break-in | stehlen gestohlen diebstahl einbruch dieb
    geklaut | voler vol volé cambriolage voleur | robar robo robado hurto ladrón | rubare furto rubato ladro |
    stelen gestolen diefstal inbraak ;
  police cop officer | polizei polizist | police gendarmerie | policía | polizia carabinieri | politie ;
  lose lost loss missing mislaid | verlieren verloren verlust | perdre perdu perte | perder perdido pérdida
    extraviar | perdere perso smarrito | verliezen verloren kwijt ;
  weigh weight heavy kilo kilogram kg | wiegen gewicht schwer kilo | peser poids lourd kilo | pesar peso pesado kilo
    | pesare peso pesante chilo | wegen gewicht zwaar kilo ;
  lift elevator wheelchair accessible barrier step-free disabled ramp stairs | aufzug lift fahrstuhl rollstuhl
    barrierefrei rampe behindert stufenlos treppe | ascenseur fauteuil accessible handicapé rampe escalier |
    ascensor silla accesible rampa minusválido escalera | ascensore carrozzina accessibile disabile rampa scale |
    lift rolstoel toegankelijk gehandicapt trap ;
  password passcode pin secret credential login forgotten forgot reset | passwort kennwort pin vergessen
    zurücksetzen | passe code identifiant oublier réinitialiser | contraseña clave olvidar restablecer | password
    parola dimenticare reimpostare | wachtwoord vergeten resetten pincode ;
  login log-in sign-in signin logon account access enter | anmelden anmeldung einloggen login konto zugang |
    connexion connecter compte identifier accès | iniciar sesión acceder cuenta acceso | accedere accesso account
    login | inloggen aanmelden account toegang ;
  register registration enrol enroll sign-up signup join apply application | anmelden anmeldung registrieren
    einschreiben bewerben bewerbung antrag | inscrire inscription enregistrer candidature | inscribir inscripción
    registrar matrícula solicitud | iscrivere iscrizione registrare candidatura domanda | inschrijven inschrijving
    registreren aanmelding aanvraag ;
  deadline due latest closing submit hand-in until expire expiry | frist stichtag fällig spätestens abgabe
    einreichen ablauf | délai échéance limite date remettre | plazo límite vencimiento fecha entregar | scadenza
    termine limite consegnare | deadline uiterlijk termijn inleveren vervaldatum ;
  begin start commence beginning launch | beginnen anfangen start anfang beginn | commencer début démarrer | empezar
    comenzar inicio comienzo | iniziare cominciare inizio | beginnen starten begin start ;
  end finish over last conclude stop | enden aufhören schluss ende | finir fin terminer | acabar terminar fin final
    | finire terminare fine | eindigen stoppen einde ;
  noise noisy loud quiet silent sound decibel volume | lärm laut leise ruhig geräusch dezibel | bruit bruyant
    silencieux décibel calme | ruido ruidoso silencioso decibelio | rumore rumoroso silenzioso decibel | geluid
    lawaai stil decibel luid ;
  swim swimming pool bath bathe swimmer | schwimmen schwimmbad pool becken baden bad | nager piscine baignade
    baigner bassin | nadar piscina baño bañarse | nuotare piscina bagno | zwemmen zwembad ;
  sauna spa wellness steam massage relax | sauna wellness dampfbad massage | sauna spa hammam massage | sauna spa
    masaje bienestar | sauna spa massaggio benessere | sauna wellness massage ;
  gym fitness workout exercise training train class course | fitness training trainieren kurs sport | sport gym
    entraînement cours musculation | gimnasio entrenamiento clase ejercicio entrenar | palestra allenamento corso |
    sportschool training les fitness ;
  phone call telephone ring dial hotline calling contact | telefon anrufen telefonieren anruf rufnummer hotline
    telefonisch | téléphone appeler appel téléphoner | teléfono llamar llamada telefonear | telefono chiamare
    chiamata telefonare | telefoon bellen telefoneren ;
  mobile smartphone phone handset cellphone handy device | handy smartphone mobiltelefon telefon gerät | mobile
    smartphone portable téléphone appareil | móvil smartphone teléfono celular dispositivo | cellulare smartphone
    telefono dispositivo | mobiel smartphone telefoon toestel ;
  offline internet connection network wifi wireless wlan online web connectivity | internet wlan netz verbindung
    offline online netzwerk | internet wifi réseau connexion ligne | internet wifi red conexión línea | internet
    wifi rete connessione | internet wifi netwerk verbinding ;
  signal reception coverage network mast outage fault | empfang netz signal störung abdeckung ausfall | réseau
    signal couverture réception panne | cobertura señal red avería | segnale copertura rete guasto | bereik signaal
    netwerk storing dekking ;
  data volume gigabyte gb megabyte allowance usage | datenvolumen daten gigabyte volumen | données volume giga |
    datos gigas gigabytes volumen | dati giga volume | data gigabyte volume ;
  speed fast slow quick bandwidth throttle | geschwindigkeit schnell langsam tempo | vitesse rapide lent débit |
    velocidad rápido lento | velocità veloce lento | snelheid snel langzaam ;
  abroad foreign overseas roaming international country countries outside travel | ausland ausländisch roaming
    international land | étranger international itinérance pays | extranjero internacional itinerancia país | estero
    internazionale roaming paese | buitenland internationaal roaming land ;
  usa america american | usa amerika | amérique états unis | américa estados unidos eeuu | america stati uniti |
    amerika verenigde staten ;
  currency dollar euro pound exchange money foreign | währung dollar euro wechselkurs devisen | devise monnaie
    dollar change | divisa moneda dólar cambio | valuta moneta dollaro cambio | valuta munt dollar koers ;
  transfer send wire remit remittance payment | überweisen überweisung senden | virement transférer envoyer |
    transferir transferencia enviar | bonifico trasferire inviare | overmaken overboeking overschrijving ;
  overdraft overdrawn negative minus debt | dispo überziehung überziehen schulden | découvert dette débiteur |
    descubierto deuda | scoperto debito | roodstand schuld ;
  interest yield return rate deposit savings save | zinsen zins sparen einlage rendite festgeld | intérêt épargne
    taux placement dépôt | interés ahorro depósito tasa | interesse risparmio deposito tasso | rente sparen
    spaargeld deposito ;
  withdraw withdrawal cash atm dispenser machine | abheben bargeld geldautomat abhebung automat | retirer retrait
    espèces distributeur | retirar efectivo cajero retirada | prelevare contanti prelievo bancomat | opnemen contant
    geldautomaat ;
  card credit debit plastic | karte kreditkarte girokarte bankkarte | carte bancaire | tarjeta |
    carta | kaart pas betaalkaart ;
  loan credit mortgage borrow lend finance lending | kredit darlehen hypothek leihen finanzierung | prêt crédit
    emprunter hypothèque financement | préstamo crédito hipoteca financiación | prestito mutuo credito finanziamento
    | lening krediet hypotheek lenen ;
  tax vat duty levy | steuer mehrwertsteuer abgabe | taxe impôt tva | impuesto iva tasa | tassa imposta iva |
    belasting btw ;
`

/** Synonyms in questions to businesses, by language (ISO 639-1). */
export type WordGroup = ReadonlyMap<string, readonly string[]>

/** Languages of a group, in column order. Semicolons separate groups, and bars separate languages. */
const LANGUAGES: readonly string[] = ['en', 'de', 'fr', 'es', 'it', 'nl']

/** Parses the synonym groups. A word can be in several groups. */
export function readServiceWords(): WordGroup[] {
  return [BUSINESS_WORDS, VISIT_WORDS, DEVICE_WORDS, LIFE_WORDS].flatMap((list) =>
    list
      .split(';')
      .filter((group) => group.trim() !== '')
      .map(readGroup),
  )
}

function readGroup(group: string): WordGroup {
  // A language may have no words.
  const lists = group.split('|').map((words) => words.split(/\s+/).filter((word) => word !== ''))
  return new Map(LANGUAGES.map((language, index) => [language, lists[index] ?? []]))
}
