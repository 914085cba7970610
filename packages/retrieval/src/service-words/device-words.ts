/** Devices, programs, papers and insurance. The form of a list is said in `service-words.ts`. */
export const DEVICE_WORDS = `
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
