    say(“ho”);
    done();
