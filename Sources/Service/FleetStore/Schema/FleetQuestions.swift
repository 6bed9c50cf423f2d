/// Questions to devices, with their answers.
enum FleetQuestions {
  /// `fleet.ask` keeps the last 20 questions of a device. A device has one open question at most.
  ///
  /// An erasure also removes answers that may speak of the period: those of `why` have the gaps of a day. An open question
  /// ends with it, because its answer would.
  static let sql = """
    CREATE TABLE outrider.question (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      device int NOT NULL REFERENCES outrider.device ON DELETE CASCADE,
      what text NOT NULL CHECK (what IN ('position', 'report', 'why', 'doctor')),
      asked timestamptz NOT NULL DEFAULT now(), asked_by text NOT NULL DEFAULT current_user, sent timestamptz,
      answered timestamptz, outcome text CHECK (outcome IN ('done', 'failed', 'refused', 'superseded')), answer jsonb,
      CHECK ((answered IS NULL) = (outcome IS NULL)));
    CREATE UNIQUE INDEX question_open ON outrider.question (device) WHERE answered IS NULL;
    CREATE INDEX question_device ON outrider.question (device, id);
    CREATE FUNCTION fleet.ask(name text, what text) RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE number int; question bigint;
    BEGIN
      SELECT d.id INTO number FROM outrider.device d WHERE d.name = ask.name FOR NO KEY UPDATE;
      IF number IS NULL THEN RETURN NULL; END IF;
      UPDATE outrider.question q SET answered = now(), outcome = 'superseded'
        WHERE q.device = number AND q.answered IS NULL;
      INSERT INTO outrider.question (device, what) VALUES (number, ask.what) RETURNING id INTO question;
      DELETE FROM outrider.question q WHERE q.device = number AND q.id NOT IN (
        SELECT n.id FROM outrider.question n WHERE n.device = number ORDER BY n.id DESC LIMIT 20);
      RETURN question;
    END $$;
    CREATE VIEW fleet.question AS SELECT q.id, d.name AS device, q.what, q.asked, q.asked_by, q.sent, q.answered,
      CASE WHEN q.answered IS NOT NULL THEN q.outcome WHEN q.sent IS NOT NULL THEN 'sent' ELSE 'asked' END AS outcome,
      q.answer
    FROM outrider.question q JOIN outrider.device d ON d.id = q.device;
    """
}
